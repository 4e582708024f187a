import { expect, test } from "vitest";
import type { JournalLine } from "../journal.ts";
import { comparisonRows, parquetFiles, pointRows } from "../write-arena.ts";
import { readPlan } from "../plan.ts";
import { runResult, type RunResult } from "../results.ts";
import { summarise } from "../summary.ts";
import { comparisonWords } from "../words.ts";
import { arenaPage } from "./page.ts";

const plan = readPlan({
  version: 1,
  arms: ["a", "b", "c", "d", "e"].map((name) => ({ name, recipe: name === "e" ? "opid" : "grpo" })),
  seeds: [1, 2, 3],
  env: "household",
  envOptions: { dial: "tiny" },
  model: "<b>model</b>",
  budget: { account: "steps", amount: 200 },
});

function run(arm: string, seed: number, at: number): RunResult {
  const spent = (steps: number): object => ({
    environmentSteps: steps,
    sampledTokens: 5 * steps,
    modelTokens: 50 * steps,
    teacherTokens: 0,
    seconds: steps / 7,
  });
  const lines = [
    ...[0, 1, 2].flatMap((update) => [
      ...(update === 0
        ? []
        : [{ kind: "update", update, ...spent(100 * update), success: 0.5, reward: 5, entropy: 0.3, kl: null }]),
      {
        kind: "point",
        update,
        ...spent(100 * update),
        success: Math.min(1, 0.2 + update * (0.07 * at + ((seed * (at + 2)) % 5) / 400)),
      },
    ]),
    { kind: "notice", update: 2, message: "the <i>guard</i> spoke" },
    {
      kind: "final",
      update: 2,
      split: "test",
      success: 0.1 * at,
      solved: 1,
      tasks: 10,
      families: [
        { family: "look_at_<b>lamp</b>", tasks: 4, success: 0.25 },
        { family: "pick_up", tasks: 6, success: 0 },
      ],
    },
    {
      kind: "retention",
      update: 2,
      tasks: 4,
      withSkill: 0.75,
      withoutSkill: 0.5,
      startWithSkill: 0.6,
      startWithoutSkill: 0.2,
    },
    { kind: "end", update: 2 },
  ];
  return runResult(arm, seed, lines as unknown as JournalLine[]);
}

const runs = plan.arms.flatMap(({ name }, at) => plan.seeds.map((seed) => run(name, seed, at)));

test("the page has the answer, a line for every arm, and nothing from a plan or a journal as markup", () => {
  const page = arenaPage(summarise(plan, runs));
  expect(/<b>[^<]*wins[^<]*<\/b>/.exec(page)?.[0]).toMatch(/^<b>e wins: better than every other arm/);
  expect(page.includes("Is the skill still needed?")).toBe(true);
  expect(page.includes("By kind of task")).toBe(true);
  expect(page.includes("look at &lt;b&gt;lamp&lt;/b&gt;")).toBe(true);
  // Five lines, no two alike in colour and dash.
  const looks = [...page.matchAll(/class="line (s\d)" stroke-dasharray="([^"]*)" points/g)].slice(0, 5);
  expect(new Set(looks.map(([, colour, dash]) => `${colour} ${dash}`)).size).toBe(5);
  expect(page.includes("&lt;b&gt;model&lt;/b&gt;")).toBe(true);
  expect(page.includes("<i>guard</i>")).toBe(false);
  expect(/(src|href)="(https?:)?\/\//.test(page)).toBe(false);
  expect(/NaN|Infinity|undefined/.exec(page)).toBeNull();
});

test("unfinished runs are named at the top, and an arena without any finished one still has a page", () => {
  const failed = runResult("a", 3, [{ kind: "failed", update: 0, code: "x", message: "out of <memory>" }]);
  const page = arenaPage(summarise(plan, [...runs.slice(0, 2), failed, ...runs.slice(3)]));
  expect(page.includes("a, seed 3 failed: out of &lt;memory&gt;")).toBe(true);
  expect(arenaPage(summarise(plan, [])).includes("No run is finished yet.")).toBe(true);
});

test("two seeds have no interval: not in tables, differences, bands or words", () => {
  const two = summarise(
    { ...plan, seeds: [1, 2] },
    runs.filter(({ seed }) => seed < 3),
  );
  const page = arenaPage(two);
  expect(page).toContain("0.100\n2 seeds");
  expect(page).toContain("2 seeds, too few for an interval");
  expect(page).not.toContain("Intervals are 95%");
  // A bracket with two numbers, wherever it stands.
  const bracket = /\[[+−-]?\d+(\.\d+)?, [+−-]?\d+(\.\d+)?\]/;
  expect(bracket.exec(page)).toBeNull();
  expect(page).not.toContain('class="band');
  expect((two.accounts[0]?.area.comparisons ?? []).map(comparisonWords).filter((one) => bracket.test(one))).toEqual([]);
  // Three have one.
  expect(bracket.exec(arenaPage(summarise(plan, runs)))).not.toBeNull();
});

test("Parquet: a row for every point and every comparison", async () => {
  const summary = summarise(plan, runs);
  expect(pointRows(summary)).toHaveLength(5 * 3 * 3);
  expect(pointRows(summary)[1]).toMatchObject({ arm: "a", seed: 1, update: 1, environment_steps: 100, reward: 5 });
  // Ten pairs, area and end in four accounts, and held-out tasks.
  expect(comparisonRows(summary)).toHaveLength(10 * 2 * 4 + 10);
  const files = await parquetFiles(summary);
  expect(Buffer.from(files.points.subarray(0, 4)).toString()).toBe("PAR1");
  expect(files.comparisons.length).toBeGreaterThan(100);
});
