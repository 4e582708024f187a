/**
 * Reward: what finished trajectories hold, what they are worth, and screens that notice when a reward is being
 * gamed.
 */

// Rewards
export { rewards, getReward, rewardTrajectories } from "../reward/registry.ts";
export { readRewardPlan } from "../reward/plan-file.ts";
export type { RewardPlan } from "../reward/plan.ts";
export { defineAskingReward } from "../reward/reward.ts";
export { scoreEach } from "../reward/score-each.ts";
export { badOption } from "../base/options.ts";

// Screens
export { screenRewards, stopOnFindings } from "../reward/screens/index.ts";
export { summariseUpdate } from "../reward/screens/history.ts";
export type { Finding } from "../reward/screens/screen.ts";

// Trajectories
export { createForest, type Forest, episodeSteps } from "../trajectory/forest.ts";
export { byGroup } from "../trajectory/rows.ts";
export { outcomeOf } from "../trajectory/outcome.ts";
export { successOf } from "../trajectory/tally.ts";
export { scoreValue } from "../trajectory/score.ts";
export { wholeStreams } from "../trajectory/whole-streams.ts";
export { TrajectorySchema, trajectoryFromJson, trajectoryToJson } from "../trajectory/schema.ts";
export type { Ending, Reward, TokenStream } from "../trajectory/trajectory.ts";
