/**
 * An arena in numbers. The primary measure is the area under the validation curve in the budget's own account; who is
 * better is decided on it alone. The other accounts show the same runs by what else they cost.
 */
import {
  alignCurves,
  areaUnder,
  bootstrapBand,
  censoredMedian,
  xToReach,
  type Band,
  type Curve,
  heightAt,
} from "limbeck-base/base/statistics/curve";
import { bradleyTerry, type Match, type Rating } from "limbeck-base/base/statistics/bradley-terry";
import { createRng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { tInterval } from "limbeck-base/base/statistics/student-t";
import type { Interval } from "limbeck-base/base/statistics/interval";
import { spentAt, type Account } from "./budget.ts";
import { decide, meanOf, type Decision, type Scores } from "./decide.ts";
import type { ArenaPlan } from "./plan.ts";
import type { RunResult } from "./results.ts";

/** A mean over seeds, with its 95% interval. */
export interface Estimate extends Interval {
  readonly mean: number;
  readonly seeds: number;
}

export interface Reached {
  readonly target: number;
  /** What was needed by the middle seed; null where it never got there. */
  readonly median: number | null;
  /** Seeds that got there. */
  readonly seeds: number;
}

export interface ArmAccount {
  readonly name: string;
  readonly area: Estimate;
  /** Validation success when the budget was spent. */
  readonly end: Estimate;
  readonly reached: readonly Reached[];
  /** The mean curve with its band, on places that all its seeds have. */
  readonly curve: Band & { readonly at: readonly number[] };
  /** One for each seed that is over. */
  readonly curves: readonly Curve[];
}

export interface AccountSummary {
  readonly account: Account;
  /** How far all runs go in this account. */
  readonly to: number;
  readonly arms: readonly ArmAccount[];
  readonly area: Decision;
  readonly end: Decision;
}

export interface ArmSummary {
  readonly name: string;
  readonly finished: number;
  /** Success on held-out tasks after the training. */
  readonly final: Estimate | undefined;
  /** The same by kind of task, where the world names them. */
  readonly families: readonly FamilySuccess[];
  readonly retention: Retained | undefined;
  /** Means over the seeds. */
  readonly cost: Readonly<Record<"updates" | "steps" | "tokens" | "modelTokens" | "teacherTokens" | "seconds", number>>;
  readonly notices: readonly string[];
}

export interface FamilySuccess {
  readonly family: string;
  readonly tasks: number;
  readonly success: Estimate;
}

export interface Retained {
  readonly withSkill: number;
  readonly withoutSkill: number;
  readonly startWithSkill: number;
  readonly startWithoutSkill: number;
  readonly seeds: number;
}

export interface ArenaSummary {
  readonly plan: ArenaPlan;
  readonly runs: readonly RunResult[];
  readonly missing: readonly RunResult[];
  readonly arms: readonly ArmSummary[];
  /** The primary account first; empty while nothing is over. */
  readonly accounts: readonly AccountSummary[];
  /** Held-out success, compared. */
  readonly final: Decision | undefined;
  /** From who won which seed, by area in the primary account. */
  readonly ratings: readonly Rating[];
}

/**
 * What the runs that are over say: areas, ends, ratings, and which arms are separated.
 *
 * @example
 * import { readPlan } from "limbeck-training/arena/plan";
 *
 * const arms = [{ name: "slow", recipe: "grpo" }, { name: "quick", recipe: "gigpo" }];
 * const plan = readPlan({ version: 1, arms, seeds: [1], env: "household", model: "my-model", budget: { account: "steps", amount: 9 } });
 * const runs = arms.map(({ name }, end) => {
 *   const points = [0, end].map((success, update) => {
 *     const spent = { environmentSteps: 9 * update, sampledTokens: update, modelTokens: 0, teacherTokens: 0, seconds: update };
 *     return { kind: "point" as const, update, ...spent, success, solved: 8 * success, tasks: 8, meanSteps: 5, invalid: 0 };
 *   });
 *   return { arm: name, seed: 1, finished: true, points, updates: [], final: undefined, retention: undefined, notices: [], failure: undefined };
 * });
 * console.log(summarise(plan, runs).accounts[0]?.arms.map(({ name, end }) => [name, end.mean])); // [ [ "slow", 0 ], [ "quick", 1 ] ]
 */
export function summarise(plan: ArenaPlan, runs: readonly RunResult[]): ArenaSummary {
  const over = runs.filter(({ finished, points }) => finished && points.length > 0);
  const names = plan.arms.map(({ name }) => name);
  const arms = names.map((name) => armSummary(name, over));
  const shown = [...new Set<Account>([plan.budget.account, "steps", "tokens", "model-tokens", "seconds"])];
  const accounts = over.length === 0 ? [] : shown.map((account) => accountSummary(plan, over, account));
  const finals = scoresOf(plan, over, ({ final }) => final?.success);
  const [primary] = accounts;
  return {
    plan,
    runs,
    missing: runs.filter(({ finished }) => !finished),
    arms,
    accounts,
    final: over.some(({ final }) => final !== undefined) ? decide(finals, plan.baseline) : undefined,
    ratings: primary === undefined ? [] : ratingsOf(plan, areasOf(plan, over, primary)),
  };
}

/** The curve of a run in an account. */
export function curveOf(run: RunResult, account: Account): Curve {
  return run.points.map((point) => ({ x: spentAt(account, point), y: point.success }));
}

/** The budget itself in its own account; elsewhere as far as every run got. */
function endOfAccount(plan: ArenaPlan, runs: readonly RunResult[], account: Account): number {
  const least = Math.min(...runs.map((run) => curveOf(run, account).at(-1)?.x ?? 0));
  return account === plan.budget.account ? Math.min(plan.budget.amount, least) : least;
}

function areasOf(
  plan: ArenaPlan,
  runs: readonly RunResult[],
  { account, to }: Pick<AccountSummary, "account" | "to">,
): Scores {
  return scoresOf(plan, runs, (run) => areaUnder(curveOf(run, account), { from: 0, to }));
}

function accountSummary(plan: ArenaPlan, runs: readonly RunResult[], account: Account): AccountSummary {
  const to = endOfAccount(plan, runs, account);
  const areas = areasOf(plan, runs, { account, to });
  const ends = scoresOf(plan, runs, (run) => heightAt(curveOf(run, account), to, "linear"));
  const arms = plan.arms.map(({ name }): ArmAccount => {
    const curves = runs.filter(({ arm }) => arm === name).map((run) => curveOf(run, account));
    return {
      name,
      area: estimate(areas[name]),
      end: estimate(ends[name]),
      reached: plan.targets.map((target) => reached(curves, target, to)),
      curve: curves.length === 0 ? { at: [], mean: [], low: [], high: [] } : bandOf(curves, to, name),
      curves,
    };
  });
  return { account, to, arms, area: decide(areas, plan.baseline), end: decide(ends, plan.baseline) };
}

function scoresOf(
  { arms, seeds }: ArenaPlan,
  runs: readonly RunResult[],
  of: (run: RunResult) => number | undefined,
): Record<string, (number | null)[]> {
  const value = (name: string, seed: number): number | null => {
    const run = runs.find((one) => one.arm === name && one.seed === seed);
    return (run === undefined ? undefined : of(run)) ?? null;
  };
  return Object.fromEntries(arms.map(({ name }) => [name, seeds.map((seed) => value(name, seed))]));
}

/** Student's interval, within what the value can be: by default a share. */
export function estimate(
  values: readonly (number | null)[] | undefined,
  [least, most]: readonly [number, number] = [0, 1],
): Estimate {
  const known = (values ?? []).filter((value) => value !== null);
  const { low, high } = tInterval(known);
  return { mean: mean(known), low: Math.max(least, low), high: Math.min(most, high), seeds: known.length };
}

function reached(curves: readonly Curve[], target: number, to: number): Reached {
  const needed = curves.map((curve) => {
    const x = xToReach(curve, target);
    return x === null || x > to ? null : x;
  });
  return { target, median: censoredMedian(needed), seeds: needed.filter((x) => x !== null).length };
}

function bandOf(curves: readonly Curve[], to: number, name: string): ArmAccount["curve"] {
  const { grid } = alignCurves(curves);
  const at = [...new Set([...grid.filter((x) => x < to), to])];
  const { rows } = alignCurves(curves, { grid: at, interpolation: "linear" });
  return { at, ...bootstrapBand(rows, { rng: createRng("bands").split(name) }) };
}

function ratingsOf(plan: ArenaPlan, areas: Scores): readonly Rating[] {
  const names = plan.arms.map(({ name }) => name);
  const rounds = plan.seeds.map((_, seed) =>
    names.flatMap((left, at) =>
      names.slice(at + 1).flatMap((right): Match[] => {
        const [own, other] = [areas[left]?.[seed], areas[right]?.[seed]];
        if (own === null || own === undefined || other === null || other === undefined) return [];
        return [{ left, right, score: own === other ? 0.5 : own > other ? 1 : 0 }];
      }),
    ),
  );
  if (rounds.every((round) => round.length === 0)) return [];
  return bradleyTerry(names, rounds, { rng: createRng("ratings") }).ratings;
}

function armSummary(name: string, over: readonly RunResult[]): ArmSummary {
  const own = over.filter(({ arm }) => arm === name);
  const last = own.flatMap(({ updates }) => updates.at(-1) ?? []);
  const average = (of: (line: (typeof last)[number]) => number): number => mean(last.map(of));
  const finals = own.flatMap(({ final }) => (final === undefined ? [] : [final.success]));
  return {
    name,
    finished: own.length,
    final: finals.length === 0 ? undefined : estimate(finals),
    families: familiesOf(own),
    retention: retained(own),
    cost: {
      updates: average(({ update }) => update),
      steps: average(({ environmentSteps }) => environmentSteps),
      tokens: average(({ sampledTokens }) => sampledTokens),
      modelTokens: average(({ modelTokens }) => modelTokens),
      teacherTokens: average(({ teacherTokens }) => teacherTokens),
      seconds: average(({ seconds }) => seconds),
    },
    notices: [...new Set(own.flatMap(({ notices }) => notices))],
  };
}

function familiesOf(runs: readonly RunResult[]): FamilySuccess[] {
  const shares = runs.flatMap(({ final }) => final?.families ?? []);
  const tasks = new Map(shares.map((share) => [share.family, share.tasks]));
  return [...tasks].map(([family, count]) => ({
    family,
    tasks: count,
    success: estimate(shares.filter((share) => share.family === family).map(({ success }) => success)),
  }));
}

function retained(runs: readonly RunResult[]): Retained | undefined {
  // Without a single skilled task there is nothing to average.
  const found = runs.flatMap(({ retention }) => (retention === undefined || retention.tasks === 0 ? [] : [retention]));
  if (found.length === 0) return undefined;
  const names = ["withSkill", "withoutSkill", "startWithSkill", "startWithoutSkill"] as const;
  const means = names.map((name) => [name, mean(found.map((one) => one[name]))] as const);
  return { ...(Object.fromEntries(means) as Record<(typeof names)[number], number>), seeds: found.length };
}

/**
 * Arms from the best mean area to the worst.
 *
 * @example
 * const nothing = { comparisons: [], standings: { arms: [], winner: null } };
 * const arms = [0.2, 0.8].map((mean, at) => {
 *   const estimate = { mean, low: 0, high: 1, seeds: 3 };
 *   return { name: `arm ${at}`, area: estimate, end: estimate, reached: [], curve: { at: [], mean: [], low: [], high: [] }, curves: [] };
 * });
 * const account = { account: "steps", to: 100, arms, area: nothing, end: nothing } as const;
 * console.log(rankArms(account).map(({ name }) => name)); // [ "arm 1", "arm 0" ]
 */
export function rankArms({ arms }: AccountSummary): readonly ArmAccount[] {
  return arms.toSorted((left, right) => scoreOf(right) - scoreOf(left));
}

function scoreOf({ area }: ArmAccount): number {
  return meanOf(area.seeds === 0 ? [] : [area.mean]);
}
