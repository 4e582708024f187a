/** The rewards that a command line names, for commands that are not operations yet. */
import type { RewardPlan } from "../../reward/index.ts";
import { givenRewards as givenPlan } from "../../run/given-rewards.ts";
import { rewardInputs } from "../../run/reward.inputs.ts";
import { readInput } from "../command-of.ts";
import type { Invocation } from "../command.ts";

/** `inFile` is what the file of --config says. */
export async function givenRewards(invocation: Invocation, inFile?: unknown): Promise<RewardPlan | undefined> {
  const config = { plan: inFile, file: invocation.text("config") };
  return await givenPlan(readInput(rewardInputs, invocation), invocation.io, config);
}
