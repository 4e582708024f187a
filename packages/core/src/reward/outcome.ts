/** The world's own result at the end. */
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Trajectory } from "limbeck-base/trajectory/trajectory";
import { oneLine } from "./failure-text.ts";
import { readScore } from "./read-scores.ts";
import { defineReward } from "./reward.ts";

export const outcome = defineReward({
  id: "outcome",
  info: {
    title: "Outcome",
    meaning: "What the world said at the end: its reward, or whether it called the episode a success.",
    paper: "Common practice",
    confidence: "practice",
    formula: ["R = scale * reward   or   R = scale * [success]"],
    departures: ["A lost episode is unscored, whatever it had earned before."],
  },
  options: {
    from: option.choice("reward", ["reward", "success"], "the number or the flag"),
    scale: option.number(1, "what it is multiplied with"),
    truncated: option.choice(
      "keep",
      ["keep", "zero", "unscored"],
      "what an episode that was cut off gets: what it earned, 0, or no score",
    ),
  },
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
