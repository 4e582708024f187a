/** ARRoL: a small predictor of success, learnt on the way, stops rollouts so that groups stay balanced. */
import { mean, option } from "../base/index.ts";
import type { JsonObject, Task } from "../trajectory/index.ts";
import { range } from "./ask.ts";
import { notedEpisodes } from "./effect.ts";
import { defineStrategy, type Scope } from "./strategy.ts";
import { chanceOf, fitHead, walkFeatures, type Example, type SuccessHead } from "./success-head.ts";
import type { Walk } from "../walk/line/walk.ts";

interface PruneOptions {
  readonly size: number;
  readonly keep: number;
  readonly check: number;
  readonly labels: number;
  readonly spare: number;
  readonly protect: boolean;
  readonly below: number;
  readonly wave: number | null;
  readonly window: number;
}

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

export const prune = defineStrategy({
  info: {
    title: "Prune (ARRoL)",
    paper: "Prune as You Generate: Online Rollout Pruning for Faster and Better RLVR",
    confidence: "inferred",
    formula: [
      "after `check` steps: p_i = logistic(w . features_i), w fitted by binary cross-entropy on rollouts that finished",
      "while more than keep are left: stop the one whose leaving brings mean(p) closest to 0.5; of equals the later one",
      "with protect: while nobody of the group has succeeded, the least likely leave instead",
      "with below: whose chance is higher stays, so that groups without hope shrink to keep and those with hope do not",
      "rollouts that were over before count with their outcome and stay; a share `spare`, drawn at random, is never stopped",
    ],
    meaning: "Stops rollouts that a small online predictor finds hopeless or redundant, and keeps groups balanced.",
    departures: [
      "No code was published; constants are the specification's. The check is after so many steps, not tokens.",
      "Features instead of the policy's hidden state: invalid and repeated actions, states seen again, log-probabilities, length of answers, reward so far, length of the goal, share of the group that has succeeded already.",
      "below is ours: a group of fixed size stops as many where all are likely as where none is.",
      "protect is ours: balance alone lets the likeliest leave where many are likely, and lost tasks that a group would have solved (docs/results.md). protect: false is the published rule.",
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
  options: {
    size: option.count(8, "episodes per task at first"),
    keep: option.count(4, "episodes per task after the check"),
    check: option.count(5, "steps after which they are looked at"),
    labels: option.count(200, "finished rollouts that the predictor needs; before that none is stopped", 2),
    spare: option.share(0.1, "share that is never stopped, to learn from"),
    protect: option.flag(true, "as long as a group has no success, the least likely leave, not the redundant"),
    below: option.share(1, "chance above which nobody is stopped"),
    wave: option.limit(null, "tasks after which the predictor is fitted again", { least: 1, whole: true }),
    window: option.count(2_000, "finished rollouts that are remembered", 2),
  },
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
