/**
 * What the world said at the end.
 *
 *   R = scale * reward      or      R = scale * [success]
 */
import { z } from "zod";
import { scored, unscored, type Score, type Trajectory } from "../trajectory/index.ts";
import { oneLine } from "./failure-text.ts";
import { readScore } from "./read-scores.ts";
import { defineReward } from "./reward.ts";

export const outcome = defineReward({
  id: "outcome",
  title: "Outcome",
  summary: "What the world said at the end: its reward, or whether it called the episode a success.",
  paper: "Common practice",
  confidence: "practice",
  formula: ["R = scale * reward   or   R = scale * [success]"],
  departures: ["A lost episode is unscored, whatever it had earned before."],
  needs: [],
  options: z.strictObject({
    from: z.enum(["reward", "success"]).default("reward").describe("the number or the flag"),
    scale: z.number().default(1).describe("what it is multiplied with"),
    truncated: z
      .enum(["keep", "zero", "unscored"])
      .default("keep")
      .describe("what an episode that was cut off gets: what it earned, 0, or no score"),
  }),
  score: (batch, options) => ({ awards: batch.map((trajectory) => [{ score: outcomeScore(trajectory, options) }]) }),
});

interface OutcomeOptions {
  readonly from: string;
  readonly scale: number;
  readonly truncated: "keep" | "zero" | "unscored";
}

function outcomeScore(trajectory: Trajectory, { from, scale, truncated }: OutcomeOptions): Score {
  if (trajectory.ending === "failed")
    return unscored(`the episode was lost: ${oneLine(trajectory.failure?.message ?? "no reason")}`);
  if (trajectory.ending === "truncated" && truncated === "zero") return scored(0);
  if (trajectory.ending === "truncated" && truncated === "unscored") return unscored("the episode was cut off");
  const score = readScore(trajectory, from);
  return score.kind === "scored" ? scored(scale * score.value) : score;
}
