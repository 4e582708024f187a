import { expect, test } from "vitest";
import type { FakeOptions } from "../../../../../test/support/fake-io.ts";
import { TINY_HOUSEHOLD } from "../../../../../test/support/small-command-lines.ts";
import { workplace } from "../../../../../test/support/workplace.ts";

const { run } = workplace({ model: "model" });
const rollout = (words: readonly string[], options: FakeOptions = {}) =>
  run(["rollout", ...TINY_HOUSEHOLD, ...words], options);

test("an expert's episodes are stored and said", async () => {
  const { code, out } = await rollout(["--policy", "expert", "--count", "3", "--group", "1", "--run", "experts"]);
  expect(code).toBe(0);
  expect(out).toMatch(/3 trajectories, \d+ steps in run experts: 3 succeeded, 1\.000 \[/);
  const sql = ["sql", "--run", "experts", "select count(*) n, sum(success::int) won from trajectories", "--json"];
  expect((await run(sql)).objects()).toEqual([{ n: 3, won: 3 }]);
});

test("a model's episodes hold exact tokens, and the same seed gives the same ones", async () => {
  // A puzzle is a few lines; a household would be hundreds of this tokenizer's bytes.
  const words = ["rollout", "--env", "countdown", "--policy", "model", "--count", "2", "--group", "2", "--json"];
  const roll = (more: readonly string[]) => run([...words, "--max-tokens", "4", "--threads", "1", ...more]);
  const [first, second] = [await roll(["--run", "m1"]), await roll(["--run", "m2", "--concurrency", "1"])];
  expect([first.code, second.code]).toEqual([0, 0]);
  const events = (ran: typeof first) => ran.objects().filter(({ event }) => event === "trajectory");
  expect(events(first)).toHaveLength(4);
  expect(events(first)).toEqual(events(second));
  const sampled = "select sum(1) n from tokens where mask = 1";
  const [stored] = (await run(["sql", "--run", "m1", sampled, "--json"])).objects();
  const end = first.objects().find(({ event }) => event === "end");
  expect(end).toMatchObject({ trajectories: 4, spent: { sampledTokens: stored?.["n"] } });
});

test("budgets hold; a budget of 0 stores nothing", async () => {
  const words = ["--policy", "expert", "--count", "4", "--json"];
  const tight = await rollout([...words, "--limit", "envSteps=9", "--run", "tight"]);
  const [end] = tight.objects().filter(({ event }) => event === "end");
  expect(end).toMatchObject({ complete: true, steps: 9, spent: { envSteps: 9 } });
  const none = await rollout([...words, "--limit", "envSteps=0"]);
  expect(none.objects()).toMatchObject([{ event: "end", run: null, trajectories: 0 }]);
});

test("a folder of its own with --dir, and no run left by a rollout that could not begin", async () => {
  expect((await rollout(["--policy", "expert", "--count", "1", "--dir", "apart/here"])).code).toBe(0);
  const listed = await run(["runs", "--store", "apart", "--json"]);
  expect(listed.objects()).toMatchObject([{ id: "here", kind: "rollout" }]);
});

test("Ctrl-C before the first step is an interruption, and leaves no run", async () => {
  const { code, objects } = await rollout(["--policy", "expert", "--json"], { signal: AbortSignal.abort() });
  expect(code).toBe(130);
  expect(objects()).toMatchObject([{ event: "end", run: null, complete: false }]);
});

test.each([
  [["--policy", "nobody"], 'No policy "nobody": it is no model folder or GGUF file, and none of bundled, chat, expert'],
  [[], "needs --policy"],
  [["--policy", "expert", "--strategy", "grup"], 'Did you mean "group"?'],
  [["--policy", "expert", "--set", "colour=1"], 'No option of group "colour"'],
  [["--policy", "expert", "--group", "0"], "it takes a whole number at least 1"],
  [["--policy", "expert", "--limit", "money=1"], 'No limit "money"'],
  [["--policy", "expert", "--limit", "seconds=-1"], "must be a number of at least 0"],
  [["--policy", "expert", "--split", "nowhere"], 'No split of household "nowhere"'],
  [["--policy", "chat"], "LIMBECK_CHAT_BASE_URL is missing"],
])("%j is a usage error", async (words, message) => {
  const { code, err } = await rollout(words);
  expect(err).toContain(message);
  expect(code).toBe(2);
});

test("--group is the strategy's number of episodes per task, whatever it calls it, and refused where it has none", async () => {
  const words = ["--policy", "guesser", "--count", "1", "--strategy"];
  // A tree counts paths, as its option nodes.
  const tree = await rollout([...words, "tree", "--set", "when=every", "--group", "3", "--run", "paths", "--json"]);
  expect([tree.code, tree.err]).toEqual([0, ""]);
  expect(tree.objects().filter(({ event }) => event === "trajectory")).toHaveLength(3);
  const share = await rollout([...words, "share", "--group", "2"]);
  expect(share.code).toBe(2);
  const said = share.err.replaceAll(/\s+/g, " ");
  expect(said).toContain("The strategy share has no number of episodes per task");
  expect(said).toContain("its options are own, others");
});
