/**
 * Proof of lift: the same held-out tasks with the skill, without it, and with a placebo of its length. A skill helps when
 * it does better than nothing and better than text that says nothing.
 */
import { createRng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { checkOptions, may } from "limbeck-base/base/options";
import type { Difference, LiftRecord } from "../../skill/library/library-skill.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { RunArm } from "./arms.ts";

export interface LiftOptions {
  /** What a task's prompt gets, as it is delivered; undefined where the skill does not fit it. */
  readonly textFor: (task: Task) => string | undefined;
  /** What it gets in the arm without advice. Default: as many tokens that say nothing. */
  readonly placeboFor?: (task: Task) => string | undefined;
  /** Held-out tasks that it fits; all are used unless the answer comes sooner. */
  readonly tasks: readonly Task[];
  readonly run: RunArm;
  readonly countTokens: (text: string) => number;
  /** How often the result is looked at. Default: 5. */
  readonly looks?: number;
  /** A lift that would not be worth its tokens, in shares; below it for sure is "no lift". Default: 0.05. */
  readonly worthwhile?: number;
  readonly onLook?: (look: Look) => void;
}

/** C for two-sided 5%, by the number of looks; Jennison and Turnbull, Group Sequential Methods, table 2.3. */
const BOUNDS: readonly number[] = [1.96, 1.977, 2.004, 2.024, 2.04, 2.053];

export const MOST_LOOKS = BOUNDS.length;

export const LIFT_CHECKS = { looks: { ...may.count, most: MOST_LOOKS }, worthwhile: may.share } as const;

export type Verdict = LiftRecord["verdict"];

export interface Look {
  readonly look: number;
  readonly looks: number;
  readonly overBare: Comparison;
  readonly overPlacebo: Comparison;
  /** What the placebo alone does. */
  readonly placeboOverBare: Comparison;
  readonly verdict: Verdict | undefined;
}

export interface Lift extends Look {
  readonly verdict: Verdict;
  readonly success: { readonly skill: number; readonly bare: number; readonly placebo: number };
  readonly promptTokens: number;
  readonly tokensPerPoint: number | null;
  /** Tasks that were planned for and not needed. */
  readonly saved: number;
}

/** Fewer pairs than this between looks would make the bounds meaningless; a small set is looked at less often. */
const LEAST_PER_LOOK = 8;

/**
 * Looks at growing shares of the tasks, and stops as soon as the answer is clear.
 *
 * @example
 * const { verdict, success } = await measureLift({
 *   tasks: Array.from({ length: 40 }, (_, seed) => ({ id: `${seed}`, env: "own", seed, goal: "heat an egg", split: "valid" })),
 *   textFor: () => "Use the microwave.",
 *   countTokens: (text) => text.split(" ").length,
 *   run: (asked, textFor) => Promise.resolve(asked.map((task) => Number(textFor(task) === "Use the microwave."))),
 * });
 * console.log(verdict, success); // helps { skill: 1, bare: 0, placebo: 0 }
 */
export async function measureLift(options: LiftOptions): Promise<Lift> {
  const { tasks, textFor, run, countTokens, worthwhile = 0.05, onLook } = options;
  checkOptions("measureLift", options, LIFT_CHECKS);
  const wanted = options.looks ?? 5;
  if (tasks.length === 0) requirePairs(0, 0);
  const looks = Math.max(1, Math.min(wanted, Math.floor(tasks.length / LEAST_PER_LOOK)));
  const texts = new Map(tasks.map((task) => [task.id, textFor(task) ?? ""]));
  const text = (task: Task): string => texts.get(task.id) ?? "";
  const plain = (task: Task): string => placeboFor(text(task), countTokens, task.id);
  const placebos = new Map(tasks.map((task) => [task.id, (options.placeboFor ?? plain)(task)]));
  const outcomes: { skill: (number | null)[]; bare: (number | null)[]; placebo: (number | null)[] } = {
    skill: [],
    bare: [],
    placebo: [],
  };
  for (let look = 1; ; look += 1) {
    const batch = tasks.slice(outcomes.bare.length, Math.round((tasks.length * look) / looks));
    outcomes.bare.push(...(await run(batch, () => undefined)));
    outcomes.placebo.push(...(await run(batch, ({ id }) => placebos.get(id))));
    outcomes.skill.push(...(await run(batch, text)));
    const seen = lookAt(outcomes, look, looks, worthwhile);
    onLook?.(seen);
    if (seen.verdict === undefined) continue;
    requirePairs(Math.min(seen.overBare.pairs, seen.overPlacebo.pairs), tasks.length);
    const lengths = tasks.map((task) => countTokens(text(task)));
    const promptTokens = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
    const points = 100 * seen.overPlacebo.value;
    return {
      ...seen,
      verdict: seen.verdict,
      success: { skill: share(outcomes.skill), bare: share(outcomes.bare), placebo: share(outcomes.placebo) },
      promptTokens: Math.round(promptTokens * 10) / 10,
      tokensPerPoint: points > 0 ? Math.round((100 * promptTokens) / points) / 100 : null,
      saved: tasks.length - outcomes.bare.length,
    };
  }
}

/** A test without pairs has measured nothing: it is no result, and nothing may pass by it. */
function requirePairs(pairs: number, tasks: number): void {
  if (pairs > 0) return;
  const why =
    tasks === 0
      ? "no task was given that the skill fits"
      : `none of ${tasks} tasks was scored both with the skill and without it`;
  throw new EngineError(
    "nothing-measured",
    `The lift test has 0 pairs, so that nothing was measured: ${why}. Give held-out tasks whose goals it fits and that can be scored.`,
  );
}

interface Outcomes {
  readonly skill: readonly (number | null)[];
  readonly bare: readonly (number | null)[];
  readonly placebo: readonly (number | null)[];
}

function lookAt({ skill, bare, placebo }: Outcomes, look: number, looks: number, worthwhile: number): Look {
  const bound = boundAt(look, looks);
  const pairs = (left: readonly (number | null)[], right: readonly (number | null)[]): Pair[] =>
    left.map((value, at) => [value, right[at] ?? null]);
  const overBare = comparePairs(pairs(skill, bare), bound);
  const overPlacebo = comparePairs(pairs(skill, placebo), bound);
  const placeboOverBare = comparePairs(pairs(placebo, bare), bound);
  const verdict = verdictOf(overBare, overPlacebo, worthwhile, look === looks);
  return { look, looks, overBare, overPlacebo, placeboOverBare, verdict };
}

/** Early on, "no lift" must not hide a harm that only a few pairs more would show. */
const HARM_ROOM = 4;

/** Undefined while nothing can be said. Each of the two tests keeps its own level; helping needs both. */
function verdictOf(
  overBare: Comparison,
  overPlacebo: Comparison,
  worthwhile: number,
  last: boolean,
): Verdict | undefined {
  if (overBare.low > 0 && overPlacebo.low > 0) return "helps";
  // Worse than text that says nothing, and not shown to be better than no text: it is what it says that does harm.
  if (overBare.high < 0 || (overPlacebo.high < 0 && overBare.low <= 0)) return "harms";
  const [low, high] = [Math.min(overBare.low, overPlacebo.low), Math.min(overBare.high, overPlacebo.high)];
  if (high < worthwhile && (last || low > -HARM_ROOM * worthwhile)) return "no-lift";
  return last ? "cannot-tell" : undefined;
}

function share(outcomes: readonly (number | null)[]): number {
  const scored = outcomes.filter((value) => value !== null);
  return scored.reduce((sum, value) => sum + value, 0) / scored.length;
}

// A paired comparison that may stop early. Success with and without is looked at a few times, after equal numbers of
// pairs; each look asks for a larger distance the earlier it comes (O'Brien and Fleming, 1979), so that all looks together
// are wrong as rarely as one would be.
//
//   z = (better - worse) / sqrt(better + worse),   interval = mean ± b_k sqrt(better + worse) / n,   b_k = C sqrt(K / k)
//
// Pairs that came out alike say nothing about the direction (McNemar). The spread is that under "no difference": the
// interval leaves out zero exactly when z passes the bound, and is a little wide otherwise. Bounds are normal
// approximations; `sequential.test.ts` measures by simulation what they are worth.

/** The bound of look k (from 1) of `looks`. */
export function boundAt(look: number, looks: number): number {
  const constant = BOUNDS[looks - 1];
  if (constant === undefined || !(Number.isInteger(look) && look >= 1 && look <= looks)) {
    throw new EngineError("bad-option", `Look ${look} of ${looks} is not among 1 to ${MOST_LOOKS} looks.`);
  }
  return constant * Math.sqrt(looks / look);
}

/** One pair: success (1 or 0) with and without; null where an arm could not be scored. */
export type Pair = readonly [withSkill: number | null, without: number | null];

export interface Comparison extends Difference {
  /** Scored in both arms. */
  readonly pairs: number;
  readonly better: number;
  readonly worse: number;
  readonly unscored: number;
}

export function comparePairs(pairs: readonly Pair[], bound: number): Comparison {
  let [better, worse, scored, sum] = [0, 0, 0, 0];
  for (const [left, right] of pairs) {
    if (left === null || right === null) continue;
    scored += 1;
    sum += left - right;
    if (left > right) better += 1;
    if (left < right) worse += 1;
  }
  const unscored = pairs.length - scored;
  if (scored === 0) return { value: 0, low: -1, high: 1, pairs: 0, better, worse, unscored };
  const value = sum / scored;
  // Without a single pair that differs nothing is known of the spread; one imagined pair keeps the interval honest.
  const half = (bound * Math.sqrt(Math.max(1, better + worse))) / scored;
  return {
    value,
    low: Math.max(-1, value - half),
    high: Math.min(1, value + half),
    pairs: scored,
    better,
    worse,
    unscored,
  };
}

// Text of the same length that says nothing about any task. A policy may do better merely because something stands where
// advice stands; what a placebo does as well is not the skill's doing.

const SENTENCES: readonly string[] = [
  "The sky was grey for most of the week.",
  "Rivers in the north freeze early in winter.",
  "The old bridge was built of stone.",
  "Many birds fly south in autumn.",
  "A train passes the village at noon.",
  "The museum is closed on Mondays.",
  "Wheat grows well on flat land.",
  "The sea is calm before a storm.",
  "Most maps show north at the top.",
  "The tower has a large clock.",
  "Snow fell on the hills overnight.",
  "The harbour is older than the town.",
];

/**
 * As many tokens as the text has, or as near as whole words allow. Another seed gives other sentences.
 *
 * @example
 * const words = (text: string) => text.split(" ").length;
 * console.log(words(placeboFor("Use the microwave.", words, "task 1"))); // 3
 */
export function placeboFor(text: string, countTokens: (text: string) => number, seed: string): string {
  const wanted = countTokens(text);
  const rng = createRng(`placebo ${seed}`);
  const words: string[] = [];
  let length = 0;
  while (length < wanted) {
    const sentence = SENTENCES[rng.int(SENTENCES.length)] ?? "";
    for (const word of sentence.split(" ")) {
      const next = countTokens([...words, word].join(" "));
      if (next > wanted && next - wanted > wanted - length) return words.join(" ") || word;
      words.push(word);
      length = next;
      if (length >= wanted) break;
    }
  }
  return words.join(" ");
}
