/** Reward: from finished trajectories to named judgements, and screens that notice when a reward is being gamed. */
import { lookUp } from "../base/index.ts";
import type { Trajectory } from "../trajectory/index.ts";
import { autoregressive } from "./autoregressive.ts";
import { components } from "./components.ts";
import { critics } from "./critics.ts";
import { efficiency } from "./efficiency.ts";
import { format } from "./format.ts";
import { improvement } from "./improvement.ts";
import { motionTags } from "./motion-tags.ts";
import { outcome } from "./outcome.ts";
import { peakRetention } from "./peak-retention.ts";
import { process } from "./process.ts";
import { progress } from "./progress.ts";
import { runPlan, type PlanGivens, type Rewarded, type RewardPlan } from "./plan.ts";
import type { RewardMethod } from "./reward.ts";
import { rubricJudge } from "./rubric-judge.ts";
import { stepRewards } from "./step-rewards.ts";
import { structure } from "./structure.ts";
import { subgoals } from "./subgoals.ts";
import { tiers } from "./tiers.ts";
import { toolMatch } from "./tool-match.ts";
import { trace } from "./trace.ts";
import { turnJudge } from "./turn-judge.ts";
import { verifier } from "./verifier.ts";

/** Every reward. A new one is a file, a test and a line here; docs and command line follow. */
export const rewards = {
  autoregressive,
  components,
  critics,
  efficiency,
  format,
  improvement,
  "motion-tags": motionTags,
  outcome,
  "peak-retention": peakRetention,
  process,
  progress,
  "rubric-judge": rubricJudge,
  "step-rewards": stepRewards,
  structure,
  subgoals,
  tiers,
  "tool-match": toolMatch,
  trace,
  "turn-judge": turnJudge,
  verifier,
} as const satisfies Record<string, RewardMethod>;

export type RewardId = keyof typeof rewards;

/** The reward of this name, or an error that lists the known ones. */
export function getReward(name: string): RewardMethod {
  return lookUp<RewardMethod>(rewards, name, "reward");
}

/** Runs the rewards of a plan one after the other; each sees what those before it gave. */
export function rewardTrajectories(
  trajectories: readonly Trajectory[],
  plan: RewardPlan,
  givens: PlanGivens = {},
): Promise<Rewarded> {
  return runPlan(trajectories, plan, rewards, givens);
}

export { askRewards, giveRewards, type Given, type GiveOptions } from "./give-rewards.ts";
export type { PlanGivens, PlannedReward, Rewarded, RewardPlan } from "./plan.ts";
export {
  defineAskingReward,
  defineReward,
  type Award,
  type Awards,
  type Givens,
  type Gold,
  type Moment,
  type References,
  type RewardMethod,
  type Verdict,
} from "./reward.ts";
export {
  screenRewards,
  screens,
  stopOnFindings,
  summariseUpdate,
  type Finding,
  type Screen,
  type ScreenId,
  type ScreenInput,
  type ScreenSettings,
  type UpdateSummary,
} from "./screens/index.ts";
export { withRewards, type WithRewardsOptions } from "./with-rewards.ts";
