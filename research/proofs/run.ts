/**
 * The learning proofs of the catalogue: arms against plain groups, five paired seeds, equal environment
 * steps (or tokens, where the row asks for those), on tasks that chose nothing. One arena a study; a study that was
 * stopped goes on where it was.
 *
 *     npx tsx research/proofs/run.ts --jobs 16                 all studies, one after the other
 *     npx tsx research/proofs/run.ts treepo dart --jobs 16     some
 *     npx tsx research/proofs/run.ts treepo --arms grpo,treepo --seeds 33 --lines FILE    a part of one, for another machine
 *     npx tsx research/proofs/pool.ts FILE FILE                such parts together, paired by seed
 *     npx tsx research/proofs/run.ts --list                    their names and arms
 *     npx tsx research/proofs/run.ts --quick                   one update of every arm, one seed: none may fail
 *
 * Results lie below --out (runs/proofs by default), a folder a study; a table of differences is printed.
 */
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { arena } from "limbeck";
import { comparisonWords } from "../../packages/training/src/arena/words.ts";
import { storedPlan } from "../../packages/training/src/arena/run-plan.ts";
import type { ArenaSummary } from "../../packages/training/src/arena/summary.ts";
import { areaUnder, tInterval } from "limbeck/eval";
import { groupedBy } from "../../packages/base/src/base/grouped-by.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { agentStudies } from "./agents.ts";
import { lossStudies } from "./losses.ts";
import type { PooledRun } from "./pool.ts";
import { poolStudies } from "./pools.ts";
import { EARLIER_SETTINGS } from "../../packages/core/src/update/settings.ts";
import { strategyStudies } from "./strategies.ts";
import type { Study } from "./study.ts";
import { teacherStudies } from "./teachers.ts";
import { treeStudies } from "./trees.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: "string" },
    out: { type: "string", default: "runs/proofs" },
    seeds: { type: "string", default: "31,32,33,34,35" },
    /** Updates between two points of the curve, in the place of the study's own; many: the start and the end alone. */
    every: { type: "string" },
    /** Such as steps=4000, in the place of the study's own. */
    budget: { type: "string" },
    /** Some of a study's arms; the first that is left is what the others are compared with. */
    arms: { type: "string" },
    /** A file that gets a line of JSON for every run, to be put together with those of other machines. */
    lines: { type: "string" },
    list: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});

const STUDIES: Readonly<Record<string, Study>> = {
  ...strategyStudies,
  ...agentStudies,
  ...lossStudies,
  ...poolStudies,
  ...treeStudies,
  ...teacherStudies,
};

const print = (line = ""): void => void process.stdout.write(`${line}\n`);
const unknown = positionals.filter((name) => !Object.hasOwn(STUDIES, name));
if (unknown.length > 0)
  throw new Error(`No study ${unknown.join(", ")}; there are ${Object.keys(STUDIES).join(", ")}.`);
const chosen = Object.entries(STUDIES).filter(([name]) => positionals.length === 0 || positionals.includes(name));

/** What a quick try changes: everything runs once, and tells nothing. */
const QUICK = { tasks: 2, group: 2, maxSteps: 4, "tasks.pool": null } as const;

async function run(name: string, given: Study, dir: string): Promise<void> {
  const study = { ...given, budget: values.budget ?? given.budget };
  const { env, envOptions } = study;
  const arms = armsOf(study);
  const settings = values.quick ? QUICK : {};
  const jobs = values.jobs === undefined ? {} : { jobs: Number(values.jobs) };
  const { failed, summary } = await arena({
    // As these were when the studies were first run.
    arms: arms.map((arm) => ({ ...arm, settings: { ...EARLIER_SETTINGS, ...arm.settings, ...settings } })),
    env,
    ...(envOptions === undefined ? {} : { envOptions }),
    seeds: values.quick ? [1] : values.seeds.split(",").map(Number),
    budget: values.quick ? "updates=1" : study.budget,
    evaluation: values.quick
      ? { tasks: 2, finalTasks: 0 }
      : {
          every: values.every === undefined ? (study.every ?? 5) : Number(values.every),
          tasks: 96,
          finalTasks: 200,
          retentionTasks: study.retentionTasks ?? 0,
        },
    baseline: arms[0].name,
    dir,
    resume: (await storedPlan(dir)) !== undefined,
    ...jobs,
  });
  print(`## ${name}`);
  print();
  print(`${study.rows}. ${env}, ${values.quick ? "one update" : study.budget}, ${failed} runs failed.`);
  print();
  report(summary, study);
  if (values.lines !== undefined) await appendFile(values.lines, linesOf(name, summary, study));
  if (study.stepsPerSolved === true) reportSteps(summary);
  if (failed > 0) process.exitCode = 1;
}

function armsOf({ arms }: Study): Study["arms"] {
  const wanted = values.arms?.split(",");
  const [first, ...others] = wanted === undefined ? arms : arms.filter((arm) => wanted.includes(arm.name));
  if (first !== undefined && (wanted === undefined || others.length + 1 === wanted.length)) return [first, ...others];
  throw new Error(`--arms ${values.arms} names an arm that is not there; there are ${arms.map(({ name }) => name).join(", ")}.`); // prettier-ignore
}

/** One run a line: what it reached, what it spent, and the study's metrics as means over its updates. */
function linesOf(study: string, { runs }: ArenaSummary, { metrics = [], budget }: Study): string {
  return runs
    .map(({ arm, seed, final, points, updates, retention }): PooledRun => {
      const last = points.at(-1);
      const means = metrics.flatMap((metric) => {
        const found = updates.flatMap((update) => update.metrics[metric] ?? []);
        return found.length === 0 ? [] : [[metric, mean(found)] as const];
      });
      return {
        study,
        arm,
        seed,
        area: areaOf(points, budget),
        success: final === undefined ? null : final.solved / final.tasks,
        updates: updates.length,
        steps: last?.environmentSteps ?? 0,
        modelTokens: (last?.modelTokens ?? 0) + (last?.sampledTokens ?? 0),
        teacherTokens: last?.teacherTokens ?? 0,
        metrics: {
          ...Object.fromEntries(means),
          ...(retention === undefined ? {} : { startToldMinusUntold: retention.startWithSkill - retention.startWithoutSkill, startUntold: retention.startWithoutSkill }), // prettier-ignore
        },
      };
    })
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

/** Mean height of the curve from nothing to the end of the budget, in steps or in tokens through models. */
function areaOf(points: Run["points"], budget: string): number | null {
  const [account, most] = budget.split("=");
  const curve = points.flatMap(({ environmentSteps, modelTokens, sampledTokens, success }) =>
    success === null ? [] : [{ x: account === "steps" ? environmentSteps : modelTokens + sampledTokens, y: success }],
  );
  return curve.length < 2 ? null : areaUnder(curve, { from: 0, to: Number(most) });
}

function report({ plan, runs, accounts, final }: ArenaSummary, { metrics = [], target }: Study): void {
  for (const { name } of plan.arms) {
    const updates = runs.filter(({ arm }) => arm === name).flatMap((one) => one.updates);
    const told = metrics.flatMap((metric) => {
      const found = updates.flatMap((update) => update.metrics[metric] ?? []);
      return found.length === 0 ? [] : [`${metric} ${mean(found).toFixed(3)}`];
    });
    const reached = target === undefined ? [] : [reachedWords(runs.filter(({ arm }) => arm === name), target)]; // prettier-ignore
    const rest = [...told, ...reached].map((one) => `, ${one}`).join("");
    print(`- ${name}: ${updates.length} updates, ${spentWords(runs.filter(({ arm }) => arm === name))}${rest}`);
  }
  for (const { name } of plan.arms) {
    const told = runs.filter(({ arm }) => arm === name).flatMap(({ notices }) => [...new Set(notices)]);
    for (const [notice, seen] of groupedBy(told, (one) => one)) {
      print(`- ${name}, ${seen.length} of ${plan.seeds.length} seeds: ${notice}`);
    }
  }
  const [primary] = accounts;
  for (const decision of [primary?.area, final]) {
    for (const comparison of decision?.comparisons ?? []) print(`- ${comparisonWords(comparison)}`);
  }
  print();
}

/** Steps of the final episodes, those that failed too, for each one that was solved: what a solved task costs. */
function reportSteps({ plan, runs }: ArenaSummary): void {
  const costs = (name: string): ReadonlyMap<number, number> =>
    new Map(
      runs.flatMap(({ arm, seed, final }) =>
        arm !== name || final === undefined || final.solved === 0
          ? []
          : [[seed, (final.meanSteps * final.tasks) / final.solved] as const],
      ),
    );
  const shown = (own: ReadonlyMap<number, number>): string => mean([...own.values()]).toFixed(2);
  const [first, ...others] = plan.arms.map(({ name }) => ({ name, own: costs(name) }));
  const base = first?.own ?? new Map<number, number>();
  print(`- steps for each solved task: ${first?.name} ${shown(base)}`);
  for (const { name, own } of others) {
    const {
      mean: difference,
      low,
      high,
    } = tInterval([...own].flatMap(([seed, cost]) => (base.has(seed) ? [cost - (base.get(seed) as number)] : [])));
    print(`- ${name} ${shown(own)}: ${difference.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]`);
  }
  print();
}

type Run = ArenaSummary["runs"][number];

/** What an arm had spent at the end, on average over its seeds. */
function spentWords(runs: readonly Run[]): string {
  const ends = runs.flatMap(({ points }) => points.at(-1) ?? []);
  const average = (of: "environmentSteps" | "sampledTokens"): string => mean(ends.map((end) => end[of])).toFixed(0);
  return `${average("environmentSteps")} steps and ${average("sampledTokens")} tokens a seed`;
}

/** Steps and tokens of the first point at or above the target, for each seed. */
function reachedWords(runs: readonly Run[], target: number): string {
  const firsts = runs.map(({ seed, points }) => {
    const first = points.find(({ success }) => success !== null && success >= target);
    return `${seed}: ${first === undefined ? "never" : `${first.environmentSteps} steps, ${first.sampledTokens} tokens`}`;
  });
  return `success ${target} first reached (${firsts.join("; ")})`;
}

if (values.list) {
  for (const [name, { rows, env, arms }] of chosen) {
    print(`${name.padEnd(12)} ${env}: ${arms.map((arm) => arm.name).join(", ")}. ${rows}.`);
  }
} else {
  const out = values.quick ? await mkdtemp(join(tmpdir(), "limbeck-proofs-")) : values.out;
  for (const [name, study] of chosen) await run(name, study, join(out, name));
  if (values.quick) await rm(out, { recursive: true, force: true });
}
