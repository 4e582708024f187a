/**
 * One reward made of several, each with its weight.
 *
 * Differs from most code: a component without a score is never counted as 0 in silence.
 */
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Score, Trajectory } from "limbeck-base/trajectory/trajectory";
import { oneLine } from "./failure-text.ts";
import { readEpisodes, readScore } from "./read-scores.ts";
import { defineReward, type Award } from "./reward.ts";

export const components = defineReward({
  id: "components",
  info: {
    title: "Named components",
    meaning: "A weighted sum of rewards given before, which says what was unscored.",
    paper: "Common practice; the process reward of ReasonFlux-PRM is 0.25 * outcome + 0.75 * process",
    confidence: "practice",
    formula: ["R = sum over k of w_k * R_k", "rescale: R * sum |w_k| / sum |w_k of what is scored|"],
    departures: [
      "Without a score of every component there is no sum, unless option unscored says to leave it out or to rescale; the comment then names what is missing.",
    ],
  },
  options: {
    weights: {
      kind: "map",
      of: { kind: "number" },
      default: { outcome: 1 },
      fewest: 1,
      meaning: "weight of each reward by its name; reward and success are the trajectory's own",
    },
    level: option.choice("trajectory", ["trajectory", "step"], "which rewards of these names are added up"),
    unscored: option.choice(
      "unscored",
      ["unscored", "leave-out", "rescale"],
      "what a component without a score does to the sum",
    ),
  },
  score: (batch, { weights, level, unscored: missing }) => {
    const names = Object.keys(weights);
    const combine = (scores: readonly Score[]): Omit<Award, "step"> =>
      weighted(names, Object.values(weights), scores, missing);
    if (level === "trajectory") {
      return { awards: batch.map((own) => [combine(names.map((name) => readScore(own, name)))]) };
    }
    const episodes = readEpisodes(batch);
    return {
      awards: batch.map((trajectory) => {
        const columns = names.map((name) => ownScores(trajectory, episodes.scores(trajectory, name)));
        return trajectory.steps.map(({ index }, at) => ({
          ...combine(columns.map((column) => column[at] ?? unscored("there is no such step"))),
          step: index,
        }));
      }),
    };
  },
});

function ownScores(trajectory: Trajectory, scores: readonly Score[] | string): readonly Score[] {
  if (typeof scores === "string") return trajectory.steps.map(() => unscored(scores));
  return scores.slice(scores.length - trajectory.steps.length);
}

function weighted(
  names: readonly string[],
  weights: readonly number[],
  scores: readonly Score[],
  missing: "unscored" | "leave-out" | "rescale",
): Award {
  let total = 0;
  let counted = 0;
  let all = 0;
  const lost: string[] = [];
  for (const [at, score] of scores.entries()) {
    const weight = weights[at] as number;
    all += Math.abs(weight);
    if (score.kind === "unscored") lost.push(`${names[at]} (${oneLine(score.why)})`);
    else {
      total += weight * score.value;
      counted += Math.abs(weight);
    }
  }
  if (lost.length === 0) return { score: scored(total) };
  const comment = `without a score: ${lost.join(", ")}`;
  if (missing === "unscored" || lost.length === scores.length) return { score: unscored(comment) };
  if (missing === "leave-out") return { score: scored(total), comment };
  return { score: counted === 0 ? unscored(comment) : scored((total * all) / counted), comment };
}
