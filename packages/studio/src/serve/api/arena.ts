/** Results of arenas: ratings, learning curves, the table, and which arms differ. */
import { z } from "zod";
import { interval, point } from "./base.ts";

export const arenaItem = z.object({
  id: z.string(),
  createdAt: z.string().nullable(),
  env: z.string().nullable(),
  arms: z.array(z.string()),
  seeds: z.int(),
  /** Runs done and planned. */
  done: z.int(),
  planned: z.int(),
  problem: z.string().nullable(),
});
export type ArenaItem = z.infer<typeof arenaItem>;
export const arenasAnswer = z.object({ arenas: z.array(arenaItem) });

export const arenaArm = z.object({
  arm: z.string(),
  recipe: z.string().nullable(),
  /** Held-out success at the end, over the seeds. */
  final: interval.nullable(),
  areaUnderCurve: interval.nullable(),
  rating: interval.nullable(),
  /** 1 is best; arms that the data cannot separate share a rank. */
  rank: z.int().nullable(),
  /** Budget to reach a given success. */
  reached: z.array(z.object({ success: z.number(), at: z.number().nullable() })),
  runs: z.array(z.string()),
  failures: z.int(),
});
export type ArenaArm = z.infer<typeof arenaArm>;

export const arenaDetail = arenaItem.extend({
  config: z.record(z.string(), z.unknown()),
  /** What the x of the curves counts: "steps", "tokens" or "seconds". */
  budget: z.string(),
  table: z.array(arenaArm),
  curves: z.array(z.object({ arm: z.string(), points: z.array(point) })),
  pairs: z.array(
    z.object({
      left: z.string(),
      right: z.string(),
      difference: z.number(),
      /** Seeds that both have; `hasInterval` says whether low and high mean anything. */
      seeds: z.int(),
      low: z.number(),
      high: z.number(),
      /** After correction for the number of comparisons. */
      p: z.number().nullable(),
      separated: z.boolean(),
    }),
  ),
  notes: z.array(z.string()),
});
export type ArenaDetail = z.infer<typeof arenaDetail>;
