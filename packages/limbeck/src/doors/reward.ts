/**
 * Reward: what finished trajectories hold, what they are worth, and screens that notice when a reward is being
 * gamed.
 */

// Rewards
export { rewards, getReward, rewardTrajectories } from "limbeck-core/reward/registry";
export { readRewardPlan } from "limbeck-core/reward/plan-file";
export type { RewardPlan } from "limbeck-core/reward/plan";
export { defineAskingReward } from "limbeck-core/reward/reward";
export { scoreEach } from "limbeck-core/reward/score-each";
export { badOption } from "limbeck-base/base/options";

// Screens
export { screenRewards, stopOnFindings } from "limbeck-core/reward/screens/index";
export { summariseUpdate } from "limbeck-core/reward/screens/history";
export type { Finding } from "limbeck-core/reward/screens/screen";

// Trajectories
export { createForest, type Forest, episodeSteps } from "limbeck-base/trajectory/forest";
export { byGroup } from "limbeck-base/trajectory/rows";
export { outcomeOf } from "limbeck-base/trajectory/outcome";
export { successOf } from "limbeck-base/trajectory/tally";
export { scoreValue } from "limbeck-base/trajectory/score";
export { wholeStreams } from "limbeck-base/trajectory/whole-streams";
export { TrajectorySchema, trajectoryFromJson, trajectoryToJson } from "limbeck-base/trajectory/schema";
export type { Ending, Reward, TokenStream } from "limbeck-base/trajectory/trajectory";
