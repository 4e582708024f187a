import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck, type FakeOptions } from "../../../../../test/support/fake-io.ts";
import { writeTrainedRun } from "../../../../../test/support/trained-run.ts";
import { openStore } from "limbeck-store/store/open-store";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-eval-"));
  await writeTinyModel(join(folder, "model"), 1, 1_024);
  await evaluation(["--policy", "wanderer", "--against", "guesser", "--samples", "2", "--into", "two"]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (words: readonly string[], options: FakeOptions = {}) =>
  limbeck(["eval", ...words], { cwd: folder, ...options });
const WORLD = ["--env", "household", "--env-set", "dial=tiny", "--split", "valid", "--tasks", "6"];
const evaluation = (words: readonly string[], options: FakeOptions = {}) => run([...WORLD, ...words], options);

test("a budget of time: what was over in time is the figure, the rest is in none", async () => {
  const words = ["--policy", "expert", "--concurrency", "1", "--reference", "none"];
  // A second for every look at the clock.
  const ticking = (): FakeOptions => {
    let looks = 0;
    return { now: () => (looks += 1) * 1_000 };
  };
  const { code, err, objects } = await evaluation([...words, "--budget", "seconds=60", "--json"], ticking());
  expect([code, err]).toEqual([0, ""]);
  const [policy] = objects();
  expect(policy).toMatchObject({ asked: 6, failed: 0, success: { mean: 1 } });
  const { episodes, solved } = policy as { episodes: number; solved: number };
  expect(episodes).toBeGreaterThan(0);
  expect(episodes).toBeLessThan(6);
  expect(solved).toBe(episodes);
  const shown = await evaluation([...words, "--budget", "seconds=60"], ticking());
  expect(shown.out).toContain(`${episodes} of 6 episodes of expert were over within the budget`);
  const none = await evaluation([...words, "--budget", "seconds=0"]);
  expect([none.code, none.err]).toEqual([1, expect.stringContaining("The budget of 0 seconds was spent before")]);
  const other = await evaluation([...words, "--budget", "minutes=1"]);
  expect([other.code, other.err]).toEqual([2, expect.stringContaining('No budget "minutes"')]);
});

test("a training holds several phases, and one figure over all of them is nobody's", async () => {
  const store = openStore(join(folder, "runs"));
  await writeTrainedRun(store, "trained");
  await store.close();
  const asked = await run(["--run", "trained"]);
  expect([asked.code, asked.err]).toEqual([
    2,
    expect.stringContaining("before (8), training (18), after (8). Say which with --phase NAME"),
  ]);
  // 6 of 8 held-out tasks are solved after the training.
  const { code, objects } = await run(["--run", "trained", "--phase", "after", "--json"]);
  expect([code, objects()[0]]).toEqual([0, expect.objectContaining({ tasks: 8, solved: 6 })]);
  expect((await run(["--run", "trained", "--phase", "later"])).err).toContain('has no phase "later"');
  expect((await run(["--run", "trained", "--phase", "all"])).code).toBe(0);
});

test("an expert solves its tasks in its own number of steps, and the run keeps the episodes", async () => {
  const { code, out, objects } = await evaluation(["--policy", "expert", "--into", "experts", "--json"]);
  expect(code).toBe(0);
  expect(out.split("\n").filter((line) => line !== "")).toHaveLength(2);
  const [policy, end] = objects();
  // Six of six: the lower end is 1 / (1 + 1.959964^2 / 6) = 0.609666.
  expect(policy).toMatchObject({ event: "policy", side: "policy", name: "expert", tasks: 6, solved: 6, invalid: 0 });
  expect(policy).toMatchObject({ success: { mean: 1, low: expect.closeTo(0.609666, 5) as number, high: 1 } });
  expect(policy?.["efficiency"]).toMatchObject({ stepsToReference: { mean: 1 }, weightedSuccess: { mean: 1 } });
  expect(policy?.["families"]).toHaveLength(6);
  expect(end).toMatchObject({ event: "end", run: "experts", complete: true });
  const sql = "select count(*) n, sum(success::int) won, min(info ->> 'side') side from trajectories";
  const stored = await limbeck(["sql", "--run", "experts", sql, "--json"], { cwd: folder });
  expect(stored.objects()).toEqual([{ n: 6, won: 6, side: "policy" }]);
  const kept = "select kind from events union all select name from metrics order by 1";
  const events = (await limbeck(["sql", "--run", "experts", kept, "--json"], { cwd: folder })).objects();
  expect(events.map(({ kind }) => kind)).toContain("evaluation");
  expect(events.map(({ kind }) => kind)).toContain("eval.policy.success");
});

test("two policies on the same tasks, and the stored run says the same again", async () => {
  const again = await run(["--run", "two", "--json"]);
  const [one, other, comparison] = again.objects();
  expect([one, other].map((policy) => [policy?.["name"], policy?.["episodes"], policy?.["samples"]])).toEqual([
    ["wanderer", 12, 2],
    ["guesser", 12, 2],
  ]);
  expect(comparison).toMatchObject({ event: "comparison", tasks: 6 });
  const fresh = await evaluation(["--policy", "wanderer", "--against", "guesser", "--samples", "2", "--json"]);
  expect(fresh.objects().find(({ event }) => event === "comparison")).toEqual(comparison);
  const text = await run(["--run", "two"]);
  expect(text.out).toMatch(/pass@2 +\d/);
  expect(text.out).toMatch(/wanderer less guesser: [-+]?\d+\.\d points \(95% interval .*sign test p = /);
});

test("a stored run against another, on the tasks both hold", async () => {
  await evaluation(["--policy", "guesser", "--offset", "3", "--into", "later"]);
  const { code, objects } = await run(["--run", "two", "--against", "later", "--json"]);
  expect(code).toBe(0);
  expect(objects()[2]).toMatchObject({ event: "comparison", tasks: 3 });
});

test("rubrics of a stored run, with the steps that show them", async () => {
  const { objects } = await run(["--run", "two", "--rubrics", "--json"]);
  const reports = objects().filter(({ event }) => event === "rubric");
  const names = ["ignored-observations", "loops", "needless-steps", "recovery", "state-slips"];
  // The run holds two policies; each is judged for itself.
  expect(reports.map(({ side, rubric }) => [side, rubric])).toEqual(
    ["policy", "against"].flatMap((side) => names.map((name) => [side, name])),
  );
  for (const { findings } of reports) expect(findings).toHaveLength(12);
  const text = await run(["--run", "two", "--rubrics"]);
  expect(text.out).toMatch(/− needless-steps +\d+ of \d+: \d\.\d{3} \[/);
});

test("a run under another reward; kept only when asked for", async () => {
  const { objects, code } = await run(["--run", "two", "--reward", "efficiency", "--json"]);
  expect(code).toBe(0);
  const scores = objects().filter(({ event }) => event === "rescored");
  expect(scores).toHaveLength(24);
  const summary = objects().find(({ event }) => event === "rescoring");
  expect(summary).toMatchObject({ reward: "efficiency", kept: false, storedTells: 1 });
  const count = "select count(*) n from rewards where name = 'outcome' and source = 'reward:outcome'";
  const stored = async () => (await limbeck(["sql", "--run", "two", count, "--json"], { cwd: folder })).objects()[0];
  expect(await stored()).toEqual({ n: 0 });
  expect((await run(["--run", "two", "--reward", "outcome", "--keep"])).out).toContain("Stored as the reward outcome");
  expect(await stored()).toEqual({ n: 24 });
  const twice = await run(["--run", "two", "--reward", "outcome", "--keep"]);
  expect([twice.code, twice.err]).toEqual([2, expect.stringContaining("already holds scores of outcome")]);
  expect(await stored()).toEqual({ n: 24 });
});

test("a model folder by --model, with its tokens counted", async () => {
  const words = ["--env", "countdown", "--model", "model", "--tasks", "2", "--max-tokens", "4", "--threads", "1"];
  const { objects, code } = await run([...words, "--json"]);
  expect(code).toBe(0);
  const [policy] = objects();
  expect(policy).toMatchObject({ name: "model", episodes: 2 });
  const { efficiency } = policy as { readonly efficiency: { readonly tokensPerEpisode: number } };
  expect(efficiency.tokensPerEpisode).toBeGreaterThan(0);
});

test("Ctrl-C before the first step is an interruption, and leaves no run", async () => {
  const { code, objects } = await evaluation(["--policy", "expert", "--json"], { signal: AbortSignal.abort() });
  expect(code).toBe(130);
  expect(objects()).toMatchObject([{ event: "end", run: null, complete: false }]);
});

test.each([
  [[], "needs either --env ID, to play, or --run RUN"],
  [["--run", "two", "--tasks", "3"], "--tasks belongs to --env ID"],
  [[...WORLD, "--policy", "expert", "--reward", "outcome"], "--reward belongs to --run RUN"],
  [[...WORLD], "needs --policy"],
  [[...WORLD, "--policy", "expert", "--model", "model"], "--policy and --model both name who acts"],
  [[...WORLD, "--policy", "expert", "--reference", "nobody"], "it has expert, wanderer, guesser"],
  [[...WORLD, "--policy", "expert", "--against", "nobody"], 'No policy "nobody"'],
  [["--run", "two", "--keep"], "need --reward NAME"],
  [["--run", "two", "--reward", "rubric-judge"], "needs judge, which only a program can give"],
  [["--run", "two", "--reward", "outcom"], 'Did you mean "outcome"?'],
  [["--run", "nowhere"], 'No run "nowhere"'],
])("%j is a usage error", async (words, message) => {
  const { code, err } = await run(words);
  expect(err).toContain(message);
  expect(code).toBe(2);
});
