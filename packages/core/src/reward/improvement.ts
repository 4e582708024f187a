/** The last quality, and a bonus for rounds that beat the one before (after GenAgent). */
import { option } from "limbeck-base/base/option";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { ownSteps } from "./each-episode.ts";
import { allValues, readEpisodes } from "./read-scores.ts";
import { defineReward, type Award } from "./reward.ts";

export const improvement = defineReward({
  id: "improvement",
  info: {
    title: "Pairwise improvement",
    meaning: "The quality at the end plus a bonus for every round that beat the one before, so that reflection pays.",
    paper: "GenAgent: Scaling Text-to-Image Generation via Agentic Multimodal Reasoning",
    confidence: "inferred",
    formula: [
      "better_t = 1 where q_t > q_(t-1) + margin, else 0",
      "R = q_T + bonus * (sum of better_t) / max(1, T);   step t: bonus * better_t / max(1, T)",
    ],
    departures: [
      "The size of the bonus is ours; only an abstract was at hand.",
      "The bonus is a share of the rounds, so that more rounds alone earn nothing.",
    ],
  },
  options: {
    of: option.text("reward", "name of the steps' quality; reward is their own"),
    bonus: option.number(0.5, "worth of improving in every round", { least: 0 }),
    end: option.flag(true, "adds the quality at the end; false: the bonus alone, beside an outcome of the world's own"),
    margin: option.number(0, "how much better counts as better", { least: 0 }),
  },
  score: (batch, { of, bonus, margin, end }) => {
    const episodes = readEpisodes(batch);
    return {
      awards: batch.map((trajectory): Award[] => {
        const scores = episodes.scores(trajectory, of);
        const qualities = typeof scores === "string" ? scores : allValues(scores);
        if (typeof qualities === "string") return [{ score: unscored(qualities) }];
        if (qualities.length === 0) return [{ score: unscored("it has no steps") }];
        const rounds = Math.max(1, qualities.length - 1);
        const shares = qualities.map((quality, at) => {
          return at > 0 && quality > (qualities[at - 1] as number) + margin ? bonus / rounds : 0;
        });
        return [
          { score: scored((end ? (qualities.at(-1) as number) : 0) + shares.reduce((sum, value) => sum + value, 0)) },
          ...ownSteps(trajectory, shares, (share) => ({ score: scored(share) })),
        ];
      }),
    };
  },
});
