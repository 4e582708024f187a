/**
 * Proof of lift: the same held-out tasks with the skill, without it, and with a placebo of its length. A skill helps when
 * it does better than nothing and better than text that says nothing. Looks and reruns cost no confidence (`always-valid.ts`).
 */
import { EngineError } from "limbeck-base/base/errors";
import { checkOptions, may } from "limbeck-base/base/options";
import { passToTheK } from "limbeck-base/base/statistics/pass-at-k";
import { mean } from "limbeck-base/base/statistics/summary";
import type { Difference, LiftRecord } from "../../skill/library/library-skill.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { countPairs, differenceOf, isAbove, isBelow, NO_PAIRS, type Pair, type PairCounts } from "./always-valid.ts";
import { ARMS, type Arm, type RunArm } from "./arms.ts";
import { placeboFor } from "./placebo.ts";

export interface LiftOptions {
  /** What a task's prompt gets, as it is delivered; undefined where the skill does not fit it. */
  readonly textFor: (task: Task) => string | undefined;
  /** What it gets in the arm without advice. Default: as many tokens that say nothing. */
  readonly placeboFor?: (task: Task) => string | undefined;
  /** Held-out tasks that it fits; all are used unless the answer comes sooner. */
  readonly tasks: readonly Task[];
  readonly run: RunArm;
  readonly countTokens: (text: string) => number;
  /** How often each task is tried in each arm, all tasks once before the first is tried again. Default: 1. */
  readonly trials?: number;
  /** Pairs between looks. Default: 20. */
  readonly lookEvery?: number;
  /** The least lift that is worth its tokens, in shares; what is surely below it is "no lift". Default: 0.15. */
  readonly worthwhile?: number;
  /** What earlier runs of the same text in the same setting found, on other trials than these. Default: nothing. */
  readonly earlier?: LiftEvidence;
  /** Nothing more can be run: the next look is the last. Default: never. */
  readonly isOver?: () => boolean;
  readonly onLook?: (look: Look) => void;
}

export const WORTHWHILE = 0.15;
export const LOOK_EVERY = 20;
export const LIFT_CHECKS = { trials: may.count, lookEvery: may.count, worthwhile: may.share } as const;

export type Verdict = LiftRecord["verdict"];

/** What is known of a skill: pairs of its arms. The sum of two is what both know. */
export interface LiftEvidence {
  readonly overBare: PairCounts;
  readonly overPlacebo: PairCounts;
  /** What the placebo alone does. */
  readonly placeboOverBare: PairCounts;
}

export const NO_EVIDENCE: LiftEvidence = { overBare: NO_PAIRS, overPlacebo: NO_PAIRS, placeboOverBare: NO_PAIRS };

export interface Comparison extends Difference, PairCounts {
  /** Scored in both arms, in this run and in earlier ones. */
  readonly pairs: number;
  /** Of this run. */
  readonly unscored: number;
}

export interface Look {
  readonly look: number;
  readonly overBare: Comparison;
  readonly overPlacebo: Comparison;
  readonly placeboOverBare: Comparison;
  readonly verdict: Verdict | undefined;
}

export interface Lift extends Look {
  readonly verdict: Verdict;
  readonly success: Readonly<Record<Arm, number>>;
  /** The chance that all of so many trials of a task succeed (pass^k); k is as many trials as were made. */
  readonly passAll: { readonly k: number } & Readonly<Record<Arm, number>>;
  readonly evidence: LiftEvidence;
  readonly promptTokens: number;
  readonly tokensPerPoint: number | null;
  /** Trials that were planned for and not needed. */
  readonly saved: number;
}

type Outcomes = Record<Arm, (number | null)[]>;

/**
 * Looks again and again, and stops as soon as the answer is clear.
 *
 * @example
 * const { verdict, success } = await measureLift({
 *   tasks: Array.from({ length: 40 }, (_, seed) => ({ id: `${seed}`, env: "own", seed, goal: "heat an egg", split: "valid" })),
 *   textFor: () => "Use the microwave.",
 *   countTokens: (text) => text.split(" ").length,
 *   run: (asked, textFor) => Promise.resolve(asked.map((task) => Number(textFor(task) === "Use the microwave."))),
 * });
 * console.log(verdict, success); // helps { bare: 0, placebo: 0, skill: 1 }
 */
export async function measureLift(options: LiftOptions): Promise<Lift> {
  const { tasks, textFor, run, countTokens, worthwhile = WORTHWHILE, earlier = NO_EVIDENCE, isOver, onLook } = options;
  checkOptions("measureLift", options, LIFT_CHECKS);
  const { trials = 1, lookEvery = LOOK_EVERY } = options;
  const planned = tasks.length * trials;
  if (planned === 0) requirePairs(NO_EVIDENCE, 0);
  const texts = new Map(tasks.map((task) => [task.id, textFor(task) ?? ""]));
  const text = (task: Task): string => texts.get(task.id) ?? "";
  const plain = (task: Task): string => placeboFor(text(task), countTokens, task.id);
  const placebos = new Map(tasks.map((task) => [task.id, (options.placeboFor ?? plain)(task)]));
  const texted = { bare: () => undefined, placebo: ({ id }: Task) => placebos.get(id), skill: text };
  const outcomes: Outcomes = { bare: [], placebo: [], skill: [] };
  for (let look = 1; ; look += 1) {
    const done = outcomes.bare.length;
    const [trial, first] = [Math.floor(done / tasks.length) + 1, done % tasks.length];
    const batch = tasks.slice(first, first + lookEvery);
    for (const arm of ARMS) outcomes[arm].push(...(await run(batch, texted[arm], { arm, trial })));
    const evidence = evidenceOf(outcomes, earlier);
    const verdict = verdictOf(evidence, worthwhile, outcomes.bare.length >= planned || isOver?.() === true);
    if (verdict === undefined && onLook === undefined) continue;
    const seen = { look, ...comparisonsOf(evidence, outcomes) };
    onLook?.({ ...seen, verdict });
    if (verdict === undefined) continue;
    requirePairs(evidence, tasks.length);
    const promptTokens = mean(tasks.map((task) => countTokens(text(task))));
    const points = 100 * seen.overPlacebo.value;
    return {
      ...seen,
      verdict,
      evidence,
      success: byArm((arm) => mean(outcomes[arm].filter((value) => value !== null))),
      passAll: { k: trial, ...byArm((arm) => passAll(outcomes[arm], tasks.length, trial)) },
      promptTokens: Math.round(promptTokens * 10) / 10,
      tokensPerPoint: points > 0 ? Math.round((100 * promptTokens) / points) / 100 : null,
      saved: planned - outcomes.bare.length,
    };
  }
}

/** A test without pairs has measured nothing: it is no result, and nothing may pass by it. */
function requirePairs({ overBare, overPlacebo }: LiftEvidence, tasks: number): void {
  if (Math.min(pairsOf(overBare), pairsOf(overPlacebo)) > 0) return;
  const why =
    tasks === 0
      ? "no task was given that the skill fits"
      : `none of ${tasks} tasks was scored both with the skill and without it`;
  throw new EngineError(
    "nothing-measured",
    `The lift test has 0 pairs, so that nothing was measured: ${why}. Give held-out tasks whose goals it fits and that can be scored.`,
  );
}

function pairsOf({ better, worse, same }: PairCounts): number {
  return better + worse + same;
}

const COMPARED = { overBare: ["skill", "bare"], overPlacebo: ["skill", "placebo"], placeboOverBare: ["placebo", "bare"] } as const; // prettier-ignore

/** The outcomes of three arms on the same trials, on top of what was known. */
export function evidenceOf(outcomes: Readonly<Record<Arm, readonly (number | null)[]>>, earlier = NO_EVIDENCE) {
  const counted = Object.entries(COMPARED).map(([name, [left, right]]) => {
    const pairs = outcomes[left].map((value, at): Pair => [value, outcomes[right][at] ?? null]);
    return [name, countPairs(pairs, earlier[name as keyof LiftEvidence])] as const;
  });
  return Object.fromEntries(counted) as unknown as LiftEvidence;
}

/** What the evidence says in shares, with what this run could not score. */
export function comparisonsOf(evidence: LiftEvidence, outcomes: Outcomes): Record<keyof LiftEvidence, Comparison> {
  const compared = Object.entries(COMPARED).map(([name, [left, right]]) => {
    const counts = evidence[name as keyof LiftEvidence];
    const unscored = outcomes[left].filter((value, at) => value === null || outcomes[right][at] === null).length;
    return [name, { ...differenceOf(counts), ...counts, pairs: pairsOf(counts), unscored }] as const;
  });
  return Object.fromEntries(compared) as Record<keyof LiftEvidence, Comparison>;
}

/**
 * Undefined while nothing can be decided. A text that changes nothing is ever called helpful at most in 2.5 of 100 cases, and harmful in 5:
 * helping needs both comparisons, harming one of two.
 */
export function verdictOf(
  { overBare, overPlacebo }: LiftEvidence,
  worthwhile: number,
  last: boolean,
): Verdict | undefined {
  const isBetter = isAbove(overBare, 0);
  if (isBetter && isAbove(overPlacebo, 0)) return "helps";
  // Worse than text that says nothing, and not shown to be better than no text: it is what it says that does harm.
  if (isBelow(overBare, 0) || (isBelow(overPlacebo, 0) && !isBetter)) return "harms";
  // Early on, "no lift" must not hide a harm that only a few pairs more would show.
  const harmless = (): boolean => isAbove(overBare, -worthwhile) && isAbove(overPlacebo, -worthwhile);
  if ((isBelow(overBare, worthwhile) || isBelow(overPlacebo, worthwhile)) && (last || harmless())) return "no-lift";
  return last ? "cannot-tell" : undefined;
}

/** pass^k over tasks with k scored trials; NaN where none has. */
function passAll(outcomes: readonly (number | null)[], tasks: number, k: number): number {
  const solved = Array.from({ length: tasks }, (_, task) => {
    const tries = outcomes.filter((value, at) => at % tasks === task && value !== null);
    return tries.length < k ? undefined : passToTheK(tries.length, tries.filter((value) => value === 1).length, k);
  });
  return mean(solved.filter((value) => value !== undefined));
}

function byArm<Value>(of: (arm: Arm) => Value): Record<Arm, Value> {
  return Object.fromEntries(ARMS.map((arm) => [arm, of(arm)])) as Record<Arm, Value>;
}
