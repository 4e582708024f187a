/** Reward: from finished trajectories to named judgements, and screens that notice when a reward is being gamed. */
export type { GiveOptions } from "./give-rewards.ts";
export { readRewardPlan } from "./plan-file.ts";
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
export { scoreEach, type ScoreEachOptions } from "./score-each.ts";
export { getReward, rewards, rewardTrajectories, type RewardId } from "./registry.ts";
