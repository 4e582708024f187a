import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { studioClient } from "../../../../test/support/studio-client.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { journalFile } from "limbeck-training/arena/journal";

const folder = temporaryFolders();

const plan = {
  version: 1,
  arms: [
    { name: "slow", recipe: "grpo" },
    { name: "quick", recipe: "gigpo" },
  ],
  seeds: [1, 2],
  env: "household",
  model: "model",
  budget: { account: "steps", amount: 100 },
};

/** Success at 0, 50 and 100 steps. */
async function journal(dir: string, arm: string, seed: number, successes: readonly number[]): Promise<void> {
  const lines = successes.map((success, at) => ({
    kind: "point",
    update: at,
    environmentSteps: 50 * at,
    sampledTokens: 0,
    modelTokens: 0,
    teacherTokens: 0,
    seconds: at,
    success,
    solved: success * 10,
    tasks: 10,
    meanSteps: 5,
    invalid: 0,
  }));
  const final = {
    kind: "final",
    update: 2,
    split: "test",
    success: successes[2],
    solved: 5,
    tasks: 10,
    meanSteps: 5,
    invalid: 0,
  };
  const file = journalFile(dir, arm, seed);
  await mkdir(dirname(file), { recursive: true });
  const all = [...lines, final, { kind: "end", update: 2 }];
  await writeFile(file, all.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

test("arenas in the store are listed and shown: table, curves, pairs, and a plan that cannot be read", async () => {
  const root = await folder();
  const dir = join(root, "arena-1");
  await mkdir(dir);
  await writeFile(join(dir, "plan.json"), JSON.stringify(plan));
  await journal(dir, "slow", 1, [0.2, 0.2, 0.6]);
  await journal(dir, "slow", 2, [0.2, 0.4, 0.4]);
  await journal(dir, "quick", 1, [0.2, 0.6, 0.8]);
  await mkdir(join(root, "arena-2"));
  await writeFile(join(root, "arena-2", "plan.json"), "{}");
  const client = await studioClient({ root });
  const { arenas } = await client.ask("arenas");
  expect(arenas.map(({ id, done, planned, problem }) => [id, done, planned, problem === null])).toEqual([
    ["arena-1", 3, 4, true],
    ["arena-2", 0, 0, false],
  ]);
  const arena = await client.ask("arena", { ids: { arena: "arena-1" } });
  // Areas by trapezoids: (0.2 + 0.2)/4 + (0.2 + 0.6)/4 = 0.3 and (0.2 + 0.4)/4 + (0.4 + 0.4)/4 = 0.35 for slow.
  expect(arena.table.map(({ arm, recipe, areaUnderCurve }) => [arm, recipe, areaUnderCurve?.value])).toEqual([
    ["slow", "grpo", expect.closeTo(0.325, 10)],
    ["quick", "gigpo", expect.closeTo(0.55, 10)],
  ]);
  expect(arena.budget).toBe("environment steps");
  expect(arena.curves.find(({ arm }) => arm === "slow")?.points.map(({ x, y }) => [x, y])).toEqual([
    [0, 0.2],
    [50, expect.closeTo(0.3, 10)],
    [100, 0.5],
  ]);
  expect(arena.pairs.every(({ separated }) => !separated)).toBe(true);
  expect(arena.notes[0]).toContain("No winner");
  expect(await client.fail("arena", { ids: { arena: "none" } })).toMatchObject({ status: 404, code: "no-arena" });
  expect((await client.fail("arena", { ids: { arena: "arena-2" } })).code).toBe("bad-arena");
  expect((await client.fail("arena", { ids: { arena: "../x" } })).code).toBe("no-arena");
  await client.studio.close();
});
