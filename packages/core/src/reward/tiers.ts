/** Graded tiers instead of pass or fail (SSL). */
import { badOption } from "limbeck-base/base/options";
import { option } from "limbeck-base/base/option";
import { scored, scoreValue } from "limbeck-base/trajectory/score";
import type { Score, Trajectory } from "limbeck-base/trajectory/trajectory";
import { readEpisodes, readScore, type Episodes } from "./read-scores.ts";
import { defineReward, type Award } from "./reward.ts";

export const tiers = defineReward({
  id: "tiers",
  info: {
    title: "SSL tiers",
    meaning: "Progress in a few ordered zones whose steps grow, so that groups without a full success still differ.",
    paper: "SSL: Sweet Spot Learning for Differentiated Guidance in Agentic Optimization",
    confidence: "reading",
    source:
      "reviews of arXiv 2601.22491 by others: the sum, its weight without a value, and K = 4; the authors' code was not found",
    formula: [
      "x = progress in 0 to 1, or 1 - distance / maxDistance, clipped",
      "k = number of edges <= x;   S = k (k + 1) / (K (K + 1));   K = 4: 0, 0.1, 0.3, 0.6, 1",
      "R = correctness * [x = 1] + alpha * S",
    ],
    departures: [
      "The tier values are ours: increments that grow linearly. Option values replaces them. So is alpha; correctness 0 leaves the tiers alone.",
      "An episode that was cut off gets the tier of its best scored step, where its steps have this progress.",
    ],
  },
  options: {
    of: option.text("reward", "name of the progress or distance"),
    edges: option.list([0.25, 0.5, 0.75, 1], { kind: "number" }, "where each tier begins; they rise", 1),
    values: option.list(null, { kind: "number" }, "reward of each tier, one more than edges; none falls"),
    correctness: option.number(1, "worth of full progress beside its tier", { least: 0 }),
    alpha: option.number(1, "weight of the tier", { least: 0 }),
    maxDistance: option.limit(null, "the number is a distance; this far is 0", { above: 0 }),
  },
  score: (batch, options) => {
    checkTiers(options);
    const episodes = readEpisodes(batch);
    return { awards: batch.map((trajectory) => [tierAward(trajectory, options, episodes)]) };
  },
});

interface TierOptions {
  readonly of: string;
  readonly edges: readonly number[];
  readonly values: readonly number[] | null;
  readonly correctness: number;
  readonly alpha: number;
  readonly maxDistance: number | null;
}

function checkTiers({ edges, values }: TierOptions): void {
  const rises = (list: readonly number[], least: number): boolean =>
    list.every((value, at) => at === 0 || value - (list[at - 1] as number) >= least);
  if (!rises(edges, Number.MIN_VALUE)) throw badOption("tiers", "edges", edges, "numbers that rise");
  if (values === null) return;
  if (values.length !== edges.length + 1) throw badOption("tiers", "values", values, "one number more than edges");
  if (!rises(values, 0)) throw badOption("tiers", "values", values, "numbers none of which falls");
}

function tierAward(trajectory: Trajectory, options: TierOptions, episodes: Episodes): Award {
  const { edges, values, correctness, alpha, maxDistance } = options;
  const score = best(trajectory, options, episodes);
  if (score.kind === "unscored") return { score };
  const progress = maxDistance === null ? score.value : 1 - score.value / maxDistance;
  const clipped = Math.min(1, Math.max(0, progress));
  const tier = edges.filter((edge) => edge <= clipped).length;
  const value = values?.[tier] ?? (tier * (tier + 1)) / (edges.length * (edges.length + 1));
  return {
    score: scored((clipped >= 1 ? correctness : 0) + alpha * value),
    comment: `tier ${tier} of ${edges.length}`,
  };
}

/** Least distance is best, where the number is one. */
function best(trajectory: Trajectory, { of, maxDistance }: TierOptions, episodes: Episodes): Score {
  const end = readScore(trajectory, of);
  if (trajectory.ending !== "truncated" || of === "reward") return end;
  const scores = episodes.scores(trajectory, of);
  const known = (typeof scores === "string" ? [] : scores).flatMap((score) => scoreValue(score) ?? []);
  const all = end.kind === "scored" ? [...known, end.value] : known;
  if (all.length === 0) return end;
  return scored(all.reduce((left, right) => (maxDistance === null ? Math.max(left, right) : Math.min(left, right))));
}
