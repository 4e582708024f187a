import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck, type FakeOptions } from "../../../../../test/support/fake-io.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";

let folder = "";
let trees: readonly Record<string, unknown>[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-search-"));
  await writeTinyModel(join(folder, "model"), 1, 1_024);
  trees = (await run([...TREES, "--run", "trees", "--json"])).objects();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (words: readonly string[], options: FakeOptions = {}) => limbeck(words, { cwd: folder, ...options });
const HOME = ["--env", "household", "--env-set", "dial=tiny"];
const TREES = ["search", ...HOME, "--policy", "wanderer", "--tasks", "3", "--set", "n=4", "--set", "stop=false"];
const SHOP = ["--env", "shop", "--env-set", "products=40"];

test("searches each task, stores every branch, and says what it took", async () => {
  const [first, , , end] = trees;
  expect(first).toMatchObject({ event: "search", irreversible: 0, harm: 0, failures: [] });
  expect(end).toMatchObject({ event: "end", run: "trees", tasks: 3, trajectories: 12, complete: true });
  const sql = "select count(*) n, count(distinct task_id) tasks, count(parent) branches from trajectories";
  const stored = await run(["sql", "--run", "trees", sql, "--json"]);
  // Three trees of four episodes each; the line that is acted on has no parent, the others branch from it.
  expect(stored.objects()).toEqual([{ n: 12, tasks: 3, branches: 9 }]);
});

test("the same seed finds the same", async () => {
  const again = (await run([...TREES, "--together", "1", "--json"])).objects();
  const actions = (lines: readonly Record<string, unknown>[]): string[] =>
    lines.flatMap(({ event, task, actions: done }) => (event === "search" ? [JSON.stringify([task, done])] : []));
  expect(actions(again).toSorted()).toEqual(actions(trees).toSorted());
});

test("a budget holds for each task, and a person reads one line", async () => {
  const { code, objects } = await run(
    ["search", ...HOME, "--policy", "model", "--tasks", "2", "--max-tokens", "3", "--threads", "1", "--budget", "modelCalls=7", "--json"], // prettier-ignore
  );
  expect(code).toBe(0);
  const spent = objects().flatMap(({ event, spent: used }) =>
    event === "search" ? [used as { modelCalls: number }] : [],
  );
  expect(spent.map(({ modelCalls }) => modelCalls)).toEqual([7, 7]);
  const shown = await run(["search", ...HOME, "--policy", "expert", "--tasks", "2", "--method", "beam"]);
  expect(shown.out).toMatch(
    /✓ 2 of 2 tasks solved, 1\.000 \[0\.34\d, 1\.000\], with 0 model calls, \d+ environment steps/,
  );
});

test("a rollout strategy spends the budget, and the best line it walks counts", async () => {
  const words = ["search", ...HOME, "--policy", "guesser", "--tasks", "2", "--strategy", "group", "--set", "size=6"];
  const { code, err, objects } = await run([...words, "--budget", "envSteps=50", "--run", "rolled", "--json"]);
  expect([code, err]).toEqual([0, ""]);
  const told = objects().filter(({ event }) => event === "search");
  expect(told).toHaveLength(2);
  for (const { spent } of told) expect((spent as { envSteps: number }).envSteps).toBeLessThanOrEqual(50);
  const sql = "select count(*) n from trajectories where info -> 'search' ->> 'chosen' = 'true'";
  expect((await run(["sql", "--run", "rolled", sql, "--json"])).objects()).toEqual([{ n: 2 }]);
  for (const [more, message] of [
    [["--method", "mcts"], "--method belongs to a search"],
    [["--value", "confidence"], "--value belongs to a search"],
    [["--budget", "usd=1"], "needs prices"],
    [["--set", "n=4"], "No option of group"],
  ] as const) {
    const refused = await run([...words, ...more]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(message)]);
  }
});

test("in the shop WebOperator buys once for each task; best-of-n buys in every episode", async () => {
  const shop = ["search", ...SHOP, "--policy", "expert"];
  const safe = await run([...shop, "--tasks", "2", "--method", "weboperator", "--json"]);
  expect(safe.objects().at(-1)).toMatchObject({ tasks: 2, irreversible: 2, harm: 0 });
  const words = [...shop, "--tasks", "1", "--set", "n=3", "--set", "stop=false"];
  expect((await run([...words, "--json"])).objects().at(-1)).toMatchObject({ irreversible: 3, harm: 2 });
  expect((await run(words)).out).toContain("2 irreversible actions beside the chosen lines");
});

test("what is wrong is refused before any work", async () => {
  const words = ["search", ...HOME, "--policy", "expert"];
  const errors: Record<string, string[]> = {
    'No value of --method "mtcs". Did you mean "mcts"?': ["--method", "mtcs"],
    'No option of best-of-n "m".': ["--set", "m=1"],
    'No budget "calls".': ["--budget", "calls=1"],
    "the budget must be a number of at least 0": ["--budget", "modelCalls=few"],
    "--prices takes two numbers": ["--prices", "1"],
    "needs prices": ["--budget", "usd=1"],
    'No value of --value "gut".': ["--value", "gut"],
  };
  for (const [message, more] of Object.entries(errors)) {
    const { code, err } = await run([...words, ...more]);
    expect([code, err.replaceAll(/\s+/g, " ")]).toEqual([2, expect.stringContaining(message)]);
  }
  const stray = await run(["eval", ...HOME, "--policy", "expert", "--blind"]);
  expect([stray.code, stray.err]).toEqual([2, expect.stringContaining("--blind belongs to a search")]);
});

test("eval --search compares a policy that searches with the same one that does not", async () => {
  const { code, objects } = await run(
    ["eval", ...HOME, "--policy", "wanderer", "--search", "best-of-n", "--against", "wanderer", "--tasks", "8", "--json"], // prettier-ignore
  );
  expect(code).toBe(0);
  const [policy, against, comparison] = objects();
  expect([policy?.["name"], against?.["name"]]).toEqual(["wanderer, best-of-n", "wanderer"]);
  expect(policy?.["solved"]).toBeGreaterThan(against?.["solved"] as number);
  expect(comparison).toMatchObject({ event: "comparison", tasks: 8 });
});

test("successful branches are exported, and a model learns from them", async () => {
  // Sums are a few lines; a household would be hundreds of this tokenizer's bytes.
  const sums = "search --env countdown --policy expert --tasks 1 --set n=2 --set stop=false --run sums".split(" ");
  expect((await run(sums)).code).toBe(0);
  const exported = await run(["export", "--run", "sums", "--format", "parquet", "--out", "branches", "--json"]);
  expect(exported.objects()[0]).toMatchObject({ trajectories: 2 });
  const words = ["sft", "--model", "model", "--in", "branches", "--successful", "--out", "tuned", "--steps", "1"];
  const tuned = await run([...words, "--batch", "2", "--threads", "1", "--json"]);
  expect([tuned.code, tuned.err]).toEqual([0, ""]);
});
