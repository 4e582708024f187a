/** A suite that is played: grades, cuts, consistency, poles and cost, by hand-computed numbers. */
import { expect, test } from "vitest";
import { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
import type { Demonstrator } from "limbeck-core/env/expert";
import { scored } from "limbeck-base/trajectory/score";
import type { Grader } from "./grader.ts";
import type { GradedEpisode, Place } from "./item.ts";
import { openSuite } from "./places.ts";
import { gradeEpisodes, runSuite, type SuiteRun } from "./run-suite.ts";
import { readSuite, type SuiteInput } from "./suite.ts";

async function played(input: SuiteInput, who: string | Demonstrator, samples = 1): Promise<SuiteRun> {
  const suite = readSuite(input);
  const places = await openSuite(suite);
  const policy: Parameters<typeof runSuite>[0]["policy"] = ({ demonstrators }) => {
    const script = typeof who === "string" ? demonstrators[who] : who;
    if (script === undefined) throw new Error(`no ${JSON.stringify(who)}`);
    return Promise.resolve({ agent: createDemonstratorAgent(script), close: () => Promise.resolve() });
  };
  return await runSuite({ suite, places, policy, name: "test", samples });
}

/** Answers by the question. */
const answering = (answers: Readonly<Record<string, string>>): Demonstrator => ({
  id: "answering",
  summary: "Has an answer for each question.",
  start: ({ goal }) => ({ next: () => answers[goal] ?? "" }),
});

const SUMS: SuiteInput = {
  suite: "sums",
  grader: "number",
  tasks: [
    { id: "a", prompt: "2 + 2?", answer: 4, solution: "It is 4.", buckets: ["easy"], variantOf: "four" },
    { id: "b", prompt: "Two and two?", answer: 4, solution: "#### 4", buckets: ["easy", "words"], variantOf: "four" },
    { id: "c", prompt: "1,000 + 234?", answer: 1234, solution: "#### 1,234", buckets: ["hard"] },
  ],
};

test("perfect is 1, empty is the floor, and two runs agree to the bit", async () => {
  const perfect = await played(SUMS, "perfect");
  expect(perfect.report).toMatchObject({ tasks: 3, episodes: 3, unscored: 0, accuracy: { mean: 1, high: 1 } });
  expect((await played(SUMS, "empty")).report.accuracy).toMatchObject({ mean: 0, low: 0 });
  expect(JSON.stringify((await played(SUMS, "perfect")).report)).toBe(JSON.stringify(perfect.report));
});

test("buckets overlap, and variants count when all of them are right", async () => {
  const { report } = await played(SUMS, answering({ "2 + 2?": "4", "Two and two?": "5", "1,000 + 234?": "1234" }));
  expect(report.accuracy?.mean).toBeCloseTo(2 / 3);
  expect(Object.entries(report.buckets).map(([name, cut]) => [name, cut.tasks, cut.accuracy?.mean])).toEqual([
    ["easy", 2, 0.5],
    ["hard", 1, 1],
    ["words", 1, 0],
  ]);
  expect(report.variants).toMatchObject({ groups: 1, right: { mean: 0 }, alike: { mean: 0 } });
});

test("a value lies between its poles", async () => {
  const { report } = await played(
    {
      suite: "thrift",
      values: {
        thrift: {
          low: { name: "lavish", grader: { use: "number", options: { marker: "paid" } } },
          high: { name: "frugal", grader: { use: "number", options: { marker: "saved" } } },
        },
      },
      tasks: [
        { id: "one", prompt: "One?", answer: { low: 1, high: 1 }, value: "thrift" },
        { id: "two", prompt: "Two?", answer: { low: 1, high: 1 }, value: "thrift" },
      ],
    },
    // The first: saved 1 holds, paid 2 does not: 1. The second: both hold: 0.5.
    answering({ "One?": "paid 2, saved 1", "Two?": "paid 1, saved 1" }),
  );
  expect(report.accuracy).toBeNull();
  expect(report.values["thrift"]).toMatchObject({ low: "lavish", high: "frugal", tasks: 2, position: { mean: 0.75 } });
});

test("worlds are judged by their outcome, and what is new in a task is counted apart", async () => {
  const suite: SuiteInput = {
    suite: "errands",
    seen: { worlds: ["countdown"], templates: ["pick_and_place_simple"], instances: [] },
    tasks: [
      { id: "numbers", world: "countdown", options: { level: "easy" }, split: "test", count: 2 },
      { id: "house", world: "household", options: { dial: "tiny" }, split: "test" },
    ],
  };
  const { report } = await played(suite, "perfect");
  expect(report).toMatchObject({
    tasks: 3,
    accuracy: { mean: 1 },
    unseen: { world: { tasks: 1 }, template: { tasks: 2 } },
  });
  expect(Object.keys(report.worlds)).toEqual(["countdown", "household"]);
  await expect(played({ ...suite, frozen: "0".repeat(64) }, "perfect")).rejects.toThrow(report.frozen);
  expect((await played({ ...suite, frozen: report.frozen }, "empty")).report.accuracy?.mean).toBe(0);
});

test("a grader that fails or gives nonsense costs no point and gives none; with too few scores there is no figure", async () => {
  const suite = readSuite({ ...SUMS, grader: "odd" });
  const places = await openSuite(suite);
  const odd = (answers: readonly (number | string)[]): Grader => {
    let asked = 0;
    const grade = () => {
      const answer = answers[asked++] ?? "";
      if (typeof answer === "string") throw new Error(answer);
      return { score: scored(answer) };
    };
    return { id: "odd", meaning: "By turns.", options: {}, grade };
  };
  const policy: Parameters<typeof runSuite>[0]["policy"] = ({ demonstrators }) =>
    Promise.resolve({
      agent: createDemonstratorAgent(demonstrators["perfect"] as Demonstrator),
      close: () => Promise.resolve(),
    });
  const of = async (...answers: readonly (number | string)[]) =>
    (await runSuite({ suite, places, policy, name: "test", graders: { odd: odd(answers) }, concurrency: 1 })).report;
  const two = await of(1, "away", 0.5);
  expect(two).toMatchObject({ unscored: 1, causes: { away: 1 }, accuracy: { mean: 0.75 } });
  const one = await of(1, 2, Number.NaN);
  expect([one.accuracy, one.unscored]).toEqual([null, 2]);
  expect(Object.keys(one.causes).join()).toContain("which is not from 0 to 1");
});

test("of several tries each task counts by their mean", async () => {
  let tries = 0;
  const every: Demonstrator = {
    id: "every",
    summary: "Right every other time.",
    start: () => ({ next: () => (tries++ % 2 === 0 ? "4" : "5") }),
  };
  const { report } = await played(
    { suite: "s", grader: "number", tasks: [{ id: "a", prompt: "2 + 2?", answer: 4 }] },
    every,
    4,
  );
  expect(report).toMatchObject({ tasks: 1, episodes: 4, accuracy: { mean: 0.5 }, cost: { steps: 4 } });
});

test("an agent that fails is lost, and who plays an unknown task is refused", async () => {
  const broken: Demonstrator = {
    id: "broken",
    summary: "Fails at one question.",
    start: ({ goal }) => ({
      next: () => {
        if (goal === "2 + 2?") throw new Error("out of order");
        return "4";
      },
    }),
  };
  const { report, episodes } = await played(SUMS, broken);
  expect(report).toMatchObject({ unscored: 1, accuracy: { mean: 0.5 } });
  const [place] = await openSuite(readSuite({ suite: "other", tasks: [{ id: "x", prompt: "?" }] }));
  const { trajectory } = episodes[1] as GradedEpisode;
  await expect(gradeEpisodes(readSuite(SUMS), place as Place, [trajectory])).rejects.toThrow(/has no task b/);
});
