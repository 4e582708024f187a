/** The rewards by name, in two tiers. */
import { bothTiers, lookUp } from "limbeck-base/base/registry";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { runPlan, type PlanGivens, type PlannedReward, type Rewarded, type RewardPlan } from "./plan.ts";
import type { RewardMethod } from "./reward.ts";
import { autoregressive } from "./autoregressive.ts";
import { components } from "./components.ts";
import { critics } from "./critics.ts";
import { efficiency } from "./efficiency.ts";
import { format } from "./format.ts";
import { improvement } from "./improvement.ts";
import { majority } from "./majority.ts";
import { motionTags } from "./motion-tags.ts";
import { outcome } from "./outcome.ts";
import { peakRetention } from "./peak-retention.ts";
import { process } from "./process.ts";
import { progress } from "./progress.ts";
import { rubricJudge } from "./rubric-judge.ts";
import { stepRewards } from "./step-rewards.ts";
import { structure } from "./structure.ts";
import { subgoals } from "./subgoals.ts";
import { tiers } from "./tiers.ts";
import { toolMatch } from "./tool-match.ts";
import { trace } from "./trace.ts";
import { turnJudge } from "./turn-judge.ts";
import { verifier } from "./verifier.ts";
import { worldPart } from "./world-part.ts";

/** Those that follow code, a paper or common practice. A new one is a file, a test and a line here. */
export const rewards = {
  autoregressive,
  components,
  format,
  majority,
  "motion-tags": motionTags,
  outcome,
  process,
  progress,
  "rubric-judge": rubricJudge,
  "step-rewards": stepRewards,
  subgoals,
  "tool-match": toolMatch,
  trace,
  verifier,
  "world-part": worldPart,
} as const satisfies Record<string, RewardMethod>;

/** Those that follow an abstract or a third party's reading (`info.confidence`): `limbeck/experimental`. Names find them all the same. */
export const experimentalRewards = {
  critics,
  efficiency,
  improvement,
  "peak-retention": peakRetention,
  structure,
  tiers,
  "turn-judge": turnJudge,
} as const satisfies Record<string, RewardMethod>;

export const allRewards = bothTiers(rewards, experimentalRewards);

export type RewardId = keyof typeof allRewards;

/**
 * The reward of this name, or an error that lists the known ones.
 *
 * @example
 * console.log(getReward("outcome").info.meaning);
 */
export function getReward(name: string): RewardMethod {
  return lookUp<RewardMethod>(allRewards, name, "reward");
}

/** The method of a planned reward. */
export function plannedMethod({ use }: PlannedReward): RewardMethod {
  return typeof use === "string" ? getReward(use) : use;
}

/**
 * Runs the rewards of a plan one after the other; each sees what those before it gave.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1 });
 * const { metrics } = await rewardTrajectories(trajectories, { rewards: [{ use: "outcome" }], reward: "outcome" });
 * console.log(metrics);
 */
export function rewardTrajectories(
  trajectories: readonly Trajectory[],
  plan: RewardPlan,
  givens: PlanGivens = {},
): Promise<Rewarded> {
  return runPlan(trajectories, plan, allRewards, givens);
}
