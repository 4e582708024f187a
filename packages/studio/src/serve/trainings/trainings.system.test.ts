import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { studioClient } from "../../../../../test/support/studio-client.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { afterLine, type TrainingProgress } from "./trainings.ts";

const temporaryFolder = temporaryFolders();

/** A process may be slow to start on a machine that is busy. */
const PATIENCE = { timeout: 30_000 };
const ORDER = { world: "household", recipe: "opid", updates: 2, seed: 1, tasks: 1, episodes: 2, heldOut: 2 };

/** In the place of the command line: says that it has begun, and how it was called; ends when it is told to. */
const PATIENT = `
console.log(JSON.stringify({ event: "start", from: 0, updates: 2 }));
console.error(process.argv.slice(2).join(" "));
process.on("SIGINT", () => process.exit(130));
setInterval(() => undefined, 1000);
`;
const QUICK = `
console.log(JSON.stringify({ event: "start", from: 0, updates: 2 }));
for (const update of [1, 2]) console.log(JSON.stringify({ event: "update", update, updates: 2 }));
console.log(JSON.stringify({ reason: "finished" }));
`;
const BROKEN = `console.error("The model is <gone>."); process.exit(3);`;

async function program(text: string): Promise<{ readonly root: string; readonly train: string[] }> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "program.mjs"), text);
  return { root: join(folder, "runs"), train: [join(folder, "program.mjs")] };
}

test("a line of a training changes what is known of it; nonsense changes nothing", () => {
  const first: TrainingProgress = { phase: "", done: 0, isRunning: false, isFinished: false };
  const said = (event: object): TrainingProgress => afterLine(first, JSON.stringify(event));
  const lines = ["", "not JSON", '{"event":7}', "[]", '{"event":"unheard of"}'];
  expect(lines.reduce(afterLine, first)).toEqual(first);
  expect(said({ event: "start", from: 0, updates: 4 })).toMatchObject({ isRunning: true, done: 0 });
  expect(said({ event: "update", update: 3, updates: 4 })).toMatchObject({ phase: "Update 4", done: 3 });
  expect(said({ event: "update", update: 4, updates: 4 }).phase).toContain("after");
  expect(said({ reason: "finished", run: "x" }).isFinished).toBe(true);
  expect(said({ event: "notice", update: 1, reason: "finished" }).isFinished).toBe(false);
});

test("a training is started once, watched and stopped, and ends with the server", async () => {
  const client = await studioClient(await program(PATIENT));
  const begun = await client.ask("startTraining", { body: ORDER });
  expect(begun.command).toBe(
    "limbeck train --recipe opid --env household --steps 2 --seed 1 --report-tasks 2 --validation-tasks 2 --set tasks=1 --set group=2",
  );
  const state = async (): Promise<string | undefined> => (await client.ask("trainings")).trainings[0]?.state;
  await expect.poll(state, PATIENCE).toBe("running");
  expect(await client.fail("startTraining", { body: ORDER })).toMatchObject({ status: 429, code: "too-many" });
  expect(await client.fail("stopTraining", { body: { run: "another" } })).toMatchObject({ code: "no-run" });
  expect((await client.ask("stopTraining", { body: { run: begun.run } })).state).toBe("stopping");
  await expect.poll(state, PATIENCE).toBe("stopped");
  const second = await client.ask("startTraining", { body: ORDER });
  expect(second.run).not.toBe(begun.run);
  await expect.poll(state, PATIENCE).toBe("running");
  // Would wait for ever if the second one went on.
  await client.studio.close();
});

test("one that ends by itself has finished, and one that fails says why", async () => {
  const quick = await studioClient(await program(QUICK));
  await quick.ask("startTraining", { body: ORDER });
  await expect
    .poll(async () => (await quick.ask("trainings")).trainings[0], PATIENCE)
    .toMatchObject({ state: "finished", done: 2 });
  await quick.studio.close();
  const broken = await studioClient(await program(BROKEN));
  await broken.ask("startTraining", { body: ORDER });
  await expect
    .poll(async () => (await broken.ask("trainings")).trainings[0], PATIENCE)
    .toMatchObject({ state: "failed", problem: "The model is <gone>." });
  await broken.studio.close();
});

test("only names that are offered and only numbers become words of a command", async () => {
  const client = await studioClient(await program(QUICK));
  for (const wrong of [{ world: "--model" }, { recipe: "opid; rm" }, { updates: 1e9 }, { seed: "1" }, { tasks: 0 }]) {
    expect(await client.fail("startTraining", { body: { ...ORDER, ...wrong } })).toMatchObject({ status: 400 });
  }
  expect((await client.ask("trainings")).trainings).toEqual([]);
  await client.studio.close();
});

test("without the right nothing starts, and other machines never have it", async () => {
  const { root, train } = await program(QUICK);
  const reader = await studioClient({ root, write: true });
  expect((await reader.ask("trainings")).refused).toContain("--train");
  expect(await reader.fail("startTraining", { body: ORDER })).toMatchObject({ status: 403, code: "not-writable" });
  await reader.studio.close();
  const outside = studioClient({ root, train, host: "0.0.0.0", token: "a-token-of-my-own" });
  await expect(outside).rejects.toMatchObject({ code: "bad-address" });
});
