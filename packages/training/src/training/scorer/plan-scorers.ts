/** The scorers that a plan of rewards names, opened once each when the first episode is scored. */
import type { RewardPlan } from "limbeck-core/reward/plan";
import { scorerAt } from "./open-scorer.ts";

export interface PlanScorers {
  /** The plan with what its scorers say as givens of the rewards that name one. */
  readonly plan: RewardPlan;
  close(): Promise<void>;
}

export function withScorers(plan: RewardPlan): PlanScorers {
  const known = new Map<string, ReturnType<typeof scorerAt>>();
  const rewards = plan.rewards.map((planned) => {
    const { scorer: place, givens } = planned;
    if (place === undefined) return planned;
    const scorer = known.get(place) ?? scorerAt(place);
    known.set(place, scorer);
    return { ...planned, givens: { scoreSteps: scorer.scoreSteps.bind(scorer), ...givens } };
  });
  return {
    plan: { ...plan, rewards },
    close: async () => {
      for (const scorer of known.values()) await scorer.close();
    },
  };
}
