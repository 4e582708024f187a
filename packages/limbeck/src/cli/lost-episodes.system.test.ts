/** What the commands say of episodes that were lost: a world on a real server that has no place, or has few. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMAND_LINE } from "../../../../test/support/command-line.ts";
import { limbeck, type Ran } from "../../../../test/support/fake-io.ts";
import { poisonedTrainer } from "../../../../test/support/poisoned-trainer.ts";
import { rudeWorld, say, show } from "../../../../test/support/rude-world.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { testTrainer } from "../../../../test/support/trainer.ts";

let folder = "";
let url = "";
/** Which sessions are let in, by their number. */
let lets: (session: number) => boolean = () => true;
let sessions = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-lost-cli-"));
  await writeTinyModel(join(folder, "start"), 1, 512);
  url = await rudeWorld({
    answer: (socket, { type }) => {
      if (type === "step") return show(socket, { text: "Thanks." }, 1, true);
      if (type !== "reset") return undefined;
      sessions += 1;
      if (lets(sessions)) return show(socket, { text: "Say it." }, 0, false);
      return say(socket, "error", { code: "CAPACITY_REACHED", message: "No place is left." });
    },
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const world = (): string[] => [
  "--env",
  "openenv",
  ...[`url=${url}`, "attempts=1", "successAt=1", "tasks=8"].flatMap((set) => ["--env-set", set]),
];
const run = (words: readonly string[], which: (session: number) => boolean = () => true): Promise<Ran> => {
  [lets, sessions] = [which, 0];
  return limbeck([...words, ...world()], { cwd: folder });
};
const none = (): boolean => false;
/** A lost episode is opened three times in all, one after the other. */
const EVAL = "eval --policy start --tasks 4 --max-tokens 2 --threads 1 --concurrency 1 --reference none".split(" ");
const ROLLOUT = "rollout --policy start --count 4 --group 1 --max-tokens 2 --threads 1 --concurrency 1".split(" ");
const SEARCH = "search --policy start --tasks 4 --max-tokens 2 --threads 1 --together 1 --budget modelCalls=4".split(
  " ",
);
const TRAIN =
  "train --recipe grpo --model start --steps 1 --report-tasks 2 --validate-every 0 --threads 1 --set tasks=2 --set group=2 --set answerTokens=2".split(
    " ",
  );

test("eval: everything lost is no 0%, and no success of the command", async () => {
  const { code, out, err } = await run(EVAL, none);
  expect(code).toBe(1);
  expect(out).toContain("no figure");
  expect(out).not.toMatch(/success +0/);
  expect(out).toContain("4 lost: server-full 4");
  expect(err).toContain("server-full 4");
});

test("eval: of the rest the figure is told with what it leaves out; a stored run says the same again", async () => {
  const { code, out } = await run([...EVAL, "--into", "partly"], (session) => session > 3);
  expect(code).toBe(0);
  // Every answer is right: 3 of 3.
  expect(out).toMatch(/success +1\.000 \[0\.439, 1\.000\]/);
  expect(out).toContain("3 of 3 seen of 4 on 4 tasks");
  expect(out).toContain("1 lost: server-full 1");
  const again = await limbeck(["eval", "--run", "partly", "--json"], { cwd: folder });
  expect(again.objects()[0]).toMatchObject({
    solved: 3,
    failed: 1,
    causes: { "server-full": 1 },
    success: { mean: 1 },
  });
});

test("rollout: no tick and no share where most is lost", async () => {
  const all = await run(ROLLOUT, none);
  expect(all.code).toBe(1);
  expect(all.out).toContain("4 lost: server-full 4");
  expect(all.out).not.toContain("✓");
  expect(all.err).toContain("No place is left.");
  const some = await run(ROLLOUT, (session) => session > 3);
  expect(some.code).toBe(0);
  expect(some.out).toMatch(/! 4 trajectories.*3 succeeded, 1\.000 \[0\.439, 1\.000\], 1 lost: server-full 1/);
});

test("search: the same", async () => {
  const { code, out } = await run(SEARCH, none);
  expect(code).toBe(1);
  expect(out).not.toContain("✓");
});

test("train: held-out tasks that are all lost stop it, with the cause and without a 0.000", async () => {
  const { code, out, err } = await run([...TRAIN, "--dir", "runs/full"], none);
  expect(code).toBe(1);
  expect(out + err).not.toContain("0.000");
  expect(out).toContain("no figure: 0 of 2 tasks seen; 2 lost: server-full 2");
  expect(err).toContain("server-full 2");
  expect(err).toContain("--resume");
});

test("train, as a process: the exit code is not 0 when every training episode is lost, and it can be resumed", async () => {
  [lets, sessions] = [(session) => session <= 2, 0];
  const place = ["--model", join(folder, "start"), "--dir", join(folder, "runs", "process")];
  const child = spawn(process.execPath, [COMMAND_LINE, ...TRAIN, ...world(), ...place]);
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  child.stdout.resume();
  await once(child, "close");
  expect(err).toContain("Update 1 cannot learn: of 4 episodes 0 were seen, 4 lost: server-full 4.");
  expect(child.exitCode).toBe(1);
  expect(await run([...TRAIN, ...place, "--resume"])).toMatchObject({ code: 0 });
});

test("train on a trainer whose model becomes NaN: told as that, exit 1, and the last good checkpoint goes on", async () => {
  const trainer = await testTrainer({ model: join(folder, "start") });
  const poisoned = await poisonedTrainer(trainer.url);
  const words = [...TRAIN, "--trainer", poisoned.url, "--dir", "runs/away", "--json"];
  const more = [...words, "--steps", "2", "--checkpoint-every", "1"];
  [lets, sessions] = [() => true, 0];
  const onOut = (text: string): void => {
    if (text.includes('"event":"update"')) poisoned.poison();
  };
  const { code, err } = await limbeck([...more, ...world()], { cwd: folder, onOut });
  expect(code).toBe(1);
  expect(err).toContain("trainer-not-finite");
  expect(err).not.toContain("address");
  poisoned.heal();
  const resumed = await limbeck([...more, ...world(), "--resume"], { cwd: folder });
  expect([resumed.code, resumed.err]).toEqual([0, ""]);
  expect(resumed.objects()[0]).toMatchObject({ event: "start", from: 0 });
});

test("train on a trainer that holds settings in bfloat16: a beta that would destroy it is refused before anything is played, others train", async () => {
  const trainer = await testTrainer({ model: join(folder, "start") });
  const coarse = await poisonedTrainer(trainer.url, { coarse: "told" });
  const words = [...TRAIN, "--trainer", coarse.url, ...world()];
  [lets, sessions] = [() => true, 0];
  const refused = await limbeck([...words, "--set", "beta2=0.999", "--dir", "runs/fine"], { cwd: folder });
  expect([refused.code, sessions]).toEqual([2, 0]);
  expect(refused.err).toMatch(/beta2 is 0.999.*bfloat16/);
  const { code, out, err } = await limbeck([...words, "--dir", "runs/coarse"], { cwd: folder });
  expect([code, coarse.isPoisoned(), coarse.steps.at(-1)?.["beta2"]]).toEqual([0, false, 0.99]);
  expect(out + err).toContain("steps are made with 0.99");
});
