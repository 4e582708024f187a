/** The scorers that a plan of rewards names, opened once each when the first episode is scored. */
import type { RewardPlan } from "../../reward/index.ts";
import { openScorer, type TrainedScorer } from "./open-scorer.ts";

export interface PlanScorers {
  /** The plan with what its scorers say as givens of the rewards that name one. */
  readonly plan: RewardPlan;
  close(): Promise<void>;
}

export function withScorers(plan: RewardPlan): PlanScorers {
  const opened = new Map<string, Promise<TrainedScorer>>();
  const scorerOf = (folder: string): Promise<TrainedScorer> => {
    const known = opened.get(folder) ?? openScorer(folder);
    opened.set(folder, known);
    return known;
  };
  const rewards = plan.rewards.map((planned) => {
    const { scorer, givens } = planned;
    if (scorer === undefined) return planned;
    const scoreSteps: NonNullable<typeof givens>["scoreSteps"] = async (trajectory, steps) =>
      await (await scorerOf(scorer)).scoreSteps(trajectory, steps);
    return { ...planned, givens: { scoreSteps, ...givens } };
  });
  return {
    plan: { ...plan, rewards },
    close: async () => {
      for (const scorer of opened.values()) await (await scorer).close();
    },
  };
}
