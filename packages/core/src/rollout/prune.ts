/** ARRoL: a small predictor of success, learnt on the way, stops rollouts so that groups stay balanced. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { range } from "./ask.ts";
import { notedEpisodes } from "./effect.ts";
import { defineStrategy, type Scope, type Walk } from "./strategy.ts";

/**
 * Who is left of a group: again and again the one goes whose leaving brings the mean chance of those left closest to
 * 0.5 (of equals the later one), until `keep` are left. Those that are `fixed` stay whatever comes.
 */
export function keepBalanced(
  chances: readonly number[],
  keep: number,
  fixed: ReadonlySet<number> = new Set(),
): number[] {
  const left = chances.map((_, at) => at);
  while (left.length > keep) {
    let [leaving, least] = [-1, Number.POSITIVE_INFINITY];
    for (const [place, at] of left.entries()) {
      if (fixed.has(at)) continue;
      const others = left.filter((_, other) => other !== place);
      const distance = Math.abs((others.length === 0 ? 0.5 : mean(others.map((one) => chances[one] as number))) - 0.5);
      // A hair's breadth, so that equal means that were added up in another order count as equal.
      if (distance <= least + 1e-12) [leaving, least] = [place, Math.min(least, distance)];
    }
    if (leaving < 0) break;
    left.splice(leaving, 1);
  }
  return left;
}

/** The same, but the least likely leave; of equals the later one. */
export function keepLikeliest(
  chances: readonly number[],
  keep: number,
  fixed: ReadonlySet<number> = new Set(),
): number[] {
  const worst = range(chances.length)
    .filter((at) => !fixed.has(at))
    .toSorted((left, right) => (chances[left] as number) - (chances[right] as number) || right - left);
  const leaving = new Set(worst.slice(0, Math.max(0, chances.length - keep)));
  return range(chances.length).filter((at) => !leaving.has(at));
}

const options = {
  size: option.count(8, "episodes per task at first"),
  keep: option.count(4, "episodes per task after the check"),
  check: option.count(5, "steps after which they are looked at"),
  labels: option.count(200, "finished rollouts that the predictor needs; before that none is stopped", 2),
  spare: option.share(0.1, "share that is never stopped, to learn from"),
  protect: option.flag(true, "as long as a group has no success, the least likely leave, not the redundant"),
  below: option.share(1, "chance above which nobody is stopped"),
  wave: option.limit(null, "tasks after which the predictor is fitted again", { least: 1, whole: true }),
  window: option.count(2_000, "finished rollouts that are remembered", 2),
};

type PruneOptions = OptionValues<typeof options>;

export const prune = defineStrategy({
  info: {
    title: "Prune (ARRoL)",
    paper: "Prune as You Generate: Online Rollout Pruning for Faster and Better RLVR",
    confidence: "reading",
    source: "emergentmind on arXiv 2603.24840: a quality head, and pruning towards a share of right rollouts of 0.5",
    formula: [
      "after `check` steps: p_i = logistic(w . features_i), w fitted by binary cross-entropy on rollouts that finished",
      "while more than keep are left: stop the one whose leaving brings mean(p) closest to 0.5; of equals the later one",
      "with protect: while nobody of the group has succeeded, the least likely leave instead",
      "with below: whose chance is higher stays, so that groups without hope shrink to keep and those with hope do not",
      "rollouts that were over before count with their outcome and stay; a share `spare`, drawn at random, is never stopped",
    ],
    meaning: "Stops rollouts that a small online predictor finds hopeless or redundant, and keeps groups balanced.",
    departures: [
      "No code was published; constants other than the share of 0.5 are ours. The check is after so many steps, not tokens.",
      "Features instead of the policy's hidden state: invalid and repeated actions, states seen again, log-probabilities, length of answers, reward so far, length of the goal, share of the group that has succeeded already.",
      "below is ours: a group of fixed size stops as many where all are likely as where none is.",
      "protect is ours: balance alone lets the likeliest leave where many are likely, and lost tasks that a group would have solved (docs/evidence/results/partial-prune-allocate.md). protect: false is the published rule.",
      "With a trained scorer (--scorer) that one says p_i, from the first group on; one of kind states reads the hidden states that the policy spoke from, as published.",
      "The predictor is fitted anew between waves of tasks (option wave), never in the middle of one, so that one seed gives one forest.",
      "Stopped rollouts are unscored, so that credit compares the survivors; info.prune.chance is the weight of a vote.",
    ],
  },
  effect: {
    name: "prunedWalks",
    counts: "episodes stopped early",
    remedy: "The predictor had not seen strategy.labels episodes yet, or all were over within strategy.check steps.",
    count: notedEpisodes("stopped", (why) => why === "pruned"),
  },
  options,
  create: (options) => {
    let examples: readonly Example[] = [];
    return {
      run: async (scope) => {
        const wave = options.wave ?? Math.max(1, scope.tasks.length);
        for (let first = 0; first < scope.tasks.length; first += wave) {
          const head = examples.length < options.labels ? undefined : fitHead(examples);
          const found = await scope.each(
            scope.tasks.slice(first, first + wave),
            (own, task) => rollGroup(own, task, options, head),
            { walks: options.size },
          );
          examples = [...examples, ...found.flat()].slice(-options.window);
        }
      },
      save: () => ({ examples }) as unknown as JsonObject,
      load: (state) => {
        ({ examples } = state as unknown as { readonly examples: readonly Example[] });
      },
    };
  },
});

/** One group; the answer is what can be learnt from it. */
async function rollGroup(
  scope: Scope,
  task: Task,
  options: PruneOptions,
  head: SuccessHead | undefined,
): Promise<Example[]> {
  const opened = await scope.each(range(options.size), (own, member) => own.open(task, member));
  const walks = opened.filter((walk) => walk !== undefined);
  await scope.together(walks, (walk) => walk.advance(({ depth }) => depth >= options.check));
  // How the others fared tells most about how hard the task is.
  const won = walks.filter(({ success }) => success === true).length / Math.max(1, walks.length);
  const seen = new Map(walks.filter(isOpen).map((walk) => [walk, [...walkFeatures(walk), won]]));
  const chances = await chancesOf(scope, seen, head);
  if (chances !== undefined) await stopSome(scope, walks, options, (walk) => chances.get(walk) ?? 0.5);
  await scope.together(walks.filter(isOpen), (walk) => walk.advance());
  return [...seen].flatMap(([{ success }, features]) =>
    success === null ? [] : [{ features, success: success ? (1 as const) : (0 as const) }],
  );
}

/** By the scorer that was given, else by the predictor that was learnt on the way; undefined while there is neither. */
async function chancesOf(
  { outcomeScorer, signal }: Scope,
  seen: ReadonlyMap<Walk, readonly number[]>,
  head: SuccessHead | undefined,
): Promise<ReadonlyMap<Walk, number> | undefined> {
  const walks = [...seen.keys()];
  if (outcomeScorer !== undefined) {
    const found = await outcomeScorer.scoreTokens(
      walks.map((walk) => walk.context()),
      signal,
    );
    return new Map(walks.map((walk, at) => [walk, found[at] as number]));
  }
  return head === undefined ? undefined : new Map([...seen].map(([walk, own]) => [walk, chanceOf(head, own)]));
}

async function stopSome(
  scope: Scope,
  walks: readonly Walk[],
  { keep, spare, protect, below }: PruneOptions,
  chance: (walk: Walk) => number,
): Promise<void> {
  // An episode that failed to run tells nothing about the group.
  const members = walks.filter((walk) => isOpen(walk) || walk.success !== null);
  const chances = members.map((walk) => (isOpen(walk) ? chance(walk) : walk.success === true ? 1 : 0));
  const rng = scope.rng.split("spare");
  const spared = new Set(range(members.length).filter((at) => rng.float() < spare || !isOpen(members[at] as Walk)));
  const fixed = new Set(range(members.length).filter((at) => spared.has(at) || (chances[at] as number) > below));
  const unsolved = members.every(({ success }) => success !== true);
  const left = new Set((protect && unsolved ? keepLikeliest : keepBalanced)(chances, keep, fixed));
  for (const [at, walk] of members.entries()) {
    if (!isOpen(walk)) continue;
    walk.note({ prune: { chance: chances[at] as number, spared: spared.has(at) } });
    if (!left.has(at)) await walk.stop("pruned");
  }
}

function isOpen({ ending }: Walk): boolean {
  return ending === undefined;
}

// A small predictor of success: logistic regression on a few facts of an unfinished episode.

export interface Example {
  readonly features: readonly number[];
  readonly success: 0 | 1;
}

export interface SuccessHead {
  readonly means: readonly number[];
  readonly scales: readonly number[];
  /** One a feature, then the constant. */
  readonly weights: readonly number[];
}

const ROUNDS = 25;
/** Pulls weights of standardised features towards 0, so that separable examples have a finite answer. */
const RIDGE = 1;

/** Minimises binary cross-entropy by Newton's method; the answer depends on the examples alone. */
export function fitHead(examples: readonly Example[]): SuccessHead {
  const width = examples[0]?.features.length ?? 0;
  const columns = Array.from({ length: width }, (_, at) => examples.map(({ features }) => features[at] ?? 0));
  const means = columns.map((column) => column.reduce((total, value) => total + value, 0) / column.length);
  const scales = columns.map((column, at) => {
    const variance = column.reduce((total, value) => total + (value - (means[at] ?? 0)) ** 2, 0) / column.length;
    // A feature that never differs says nothing.
    return variance > 1e-12 ? Math.sqrt(variance) : Number.POSITIVE_INFINITY;
  });
  const rows = examples.map(({ features }) => standardised(features, means, scales));
  let weights: number[] = Array.from({ length: width + 1 }, () => 0);
  for (let round = 0; round < ROUNDS; round += 1) {
    const gradient = weights.map((weight, at) => (at < width ? RIDGE * weight : 0));
    const ownCurvature = (at: number): number => (at < width ? RIDGE : 1e-9);
    const curvature = weights.map((_, at) => weights.map((__, other): number => (at === other ? ownCurvature(at) : 0)));
    rows.forEach((row, at) => {
      const chance = logistic(dot(row, weights));
      const slack = chance - (examples[at]?.success ?? 0);
      row.forEach((left, i) => {
        gradient[i] = (gradient[i] ?? 0) + slack * left;
        const line = curvature[i] ?? [];
        row.forEach((right, j) => (line[j] = (line[j] ?? 0) + chance * (1 - chance) * left * right));
      });
    });
    const move = solve(curvature, gradient);
    weights = weights.map((weight, at) => weight - (move[at] ?? 0));
    if (move.every((one) => Math.abs(one) < 1e-10)) break;
  }
  return { means, scales, weights };
}

/** Predicted chance of success. */
export function chanceOf({ means, scales, weights }: SuccessHead, features: readonly number[]): number {
  return logistic(dot(standardised(features, means, scales), weights));
}

/** What is known of an episode at this point: slips, going in circles, how sure the policy was, what the world gave. */
export function walkFeatures(walk: Walk): number[] {
  const steps = walk.episode;
  const count = Math.max(1, steps.length);
  const logprobs = steps.flatMap(({ index }) => [...(walk.answer(index)?.logprobs ?? [])]);
  const total = logprobs.reduce((sum, value) => sum + value, 0);
  return [
    steps.filter(({ valid }) => !valid).length / count,
    1 - new Set(steps.map(({ stateKey }) => stateKey)).size / count,
    1 - new Set(steps.map(({ action }) => action)).size / count,
    total / count,
    total / Math.max(1, logprobs.length),
    logprobs.length / count,
    walk.reward.kind === "scored" ? walk.reward.value : 0,
    Math.log1p(walk.task.goal.length),
  ];
}

function standardised(features: readonly number[], means: readonly number[], scales: readonly number[]): number[] {
  return [...means.map((mean, at) => ((features[at] ?? 0) - mean) / (scales[at] ?? 1)), 1];
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((total, value, at) => total + value * (right[at] ?? 0), 0);
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

/** Gaussian elimination with row exchange; the matrix is positive definite and small. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const size = right.length;
  const rows = matrix.map((row, at) => [...row, right[at] ?? 0]);
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let column = 0; column < size; column += 1) {
    let best = column;
    for (let row = column + 1; row < size; row += 1)
      if (Math.abs(at(row, column)) > Math.abs(at(best, column))) best = row;
    [rows[column], rows[best]] = [rows[best] as number[], rows[column] as number[]];
    for (let row = column + 1; row < size; row += 1) {
      const factor = at(row, column) / at(column, column);
      rows[row] = (rows[row] as number[]).map((value, place) => value - factor * at(column, place));
    }
  }
  const answer: number[] = Array.from({ length: size }, () => 0);
  for (let row = size - 1; row >= 0; row -= 1) {
    let rest = at(row, size);
    for (let column = row + 1; column < size; column += 1) rest -= at(row, column) * (answer[column] ?? 0);
    answer[row] = rest / at(row, row);
  }
  return answer;
}
