/**
 * Graded tiers instead of pass or fail (SSL).
 *
 *   tier k = number of edges <= x      R = k (k + 1) / (K (K + 1))
 */
import { z } from "zod";
import { scored, scoreValue, type Score, type Trajectory } from "../trajectory/index.ts";
import { readEpisodes, readScore, type Episodes } from "./read-scores.ts";
import { defineReward, type Award } from "./reward.ts";

export const tiers = defineReward({
  id: "tiers",
  title: "SSL tiers",
  summary: "Progress in a few ordered zones whose steps grow, so that groups without a full success still differ.",
  paper: "SSL: Sweet Spot Learning for Differentiated Guidance in Agentic Optimization",
  confidence: "inferred",
  formula: [
    "x = progress in 0 to 1, or 1 - distance / maxDistance, clipped",
    "k = number of edges <= x;   R = k (k + 1) / (K (K + 1))",
    "K = 4: 0, 0.1, 0.3, 0.6, 1",
  ],
  departures: [
    "The tier values are ours: increments that grow linearly. Option values replaces them.",
    "An episode that was cut off gets the tier of its best scored step, where its steps have this progress.",
  ],
  needs: [],
  options: z
    .strictObject({
      of: z.string().min(1).default("reward").describe("name of the progress or distance"),
      edges: z
        .array(z.number())
        .min(1)
        .refine((edges) => edges.every((edge, at) => at === 0 || edge > (edges[at - 1] as number)), "edges must rise")
        .default([0.25, 0.5, 0.75, 1])
        .describe("where each tier begins"),
      values: z
        .array(z.number())
        .nullable()
        .refine(
          (values) => values?.every((value, at) => at === 0 || value >= (values[at - 1] as number)) ?? true,
          "a better tier must not get less",
        )
        .default(null)
        .describe("reward of each tier, one more than edges"),
      maxDistance: z.number().positive().nullable().default(null).describe("the number is a distance; this far is 0"),
    })
    .refine(({ edges, values }) => values === null || values.length === edges.length + 1, {
      path: ["values"],
      error: "there must be one more than edges",
    }),
  score: (batch, options) => {
    const episodes = readEpisodes(batch);
    return { awards: batch.map((trajectory) => [tierAward(trajectory, options, episodes)]) };
  },
});

interface TierOptions {
  readonly of: string;
  readonly edges: readonly number[];
  readonly values: readonly number[] | null;
  readonly maxDistance: number | null;
}

function tierAward(trajectory: Trajectory, options: TierOptions, episodes: Episodes): Award {
  const { edges, values, maxDistance } = options;
  const score = best(trajectory, options, episodes);
  if (score.kind === "unscored") return { score };
  const progress = maxDistance === null ? score.value : 1 - score.value / maxDistance;
  const clipped = Math.min(1, Math.max(0, progress));
  const tier = edges.filter((edge) => edge <= clipped).length;
  const value = values?.[tier] ?? (tier * (tier + 1)) / (edges.length * (edges.length + 1));
  return { score: scored(value), comment: `tier ${tier} of ${edges.length}` };
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
