/** Reward: from finished trajectories to named judgements, and screens that notice when a reward is being gamed. */
export { askRewards, giveRewards, type Given, type GiveOptions } from "./give-rewards.ts";
export { plannedName, type PlanGivens, type PlannedReward, type Rewarded, type RewardPlan } from "./plan.ts";
export { readRewardPlan, rewardPlanSchema, plainRewardPlan } from "./plan-file.ts";
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
export { getReward, plannedMethod, rewards, rewardTrajectories, type RewardId } from "./registry.ts";
