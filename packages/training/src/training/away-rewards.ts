/**
 * Rewards that are computed elsewhere, one task at a time: by workers with a judge, a scorer or spare cores. Only what needs nothing but
 * the episodes of its task can be, and then it is the same number wherever it is computed.
 */
import { EngineError } from "limbeck-base/base/errors";
import { readRewardPlan } from "limbeck-core/reward/plan-file";
import { rewardTrajectories, plannedMethod } from "limbeck-core/reward/registry";
import { type RewardPlan, plannedName } from "limbeck-core/reward/plan";
import type { JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { openChatAsker, type OpenedAsker } from "limbeck-core/walk/tree/asker";
import { JUDGE_TOKENS, requireRewardNeeds, worldsVerdict } from "./run-rewards.ts";
import { withScorers } from "./scorer/plan-scorers.ts";

export interface AwayRewards {
  give(episodes: readonly Trajectory[], of: AwayUpdate): Promise<readonly Trajectory[]>;
  close(): Promise<void>;
}

export interface AwayUpdate {
  readonly update: number;
  /** Judges draw by it. */
  readonly seed: string;
  readonly signal: AbortSignal;
}

/** Refuses, by name, rewards that look beyond the episodes of one task. */
export function requireAwayRewards(plan: JsonObject | string | undefined): JsonObject {
  if (typeof plan !== "object") {
    throw new EngineError(
      "needs-unmet",
      plan === undefined
        ? "There is nothing for reward workers: the training has no reward of its own. Add --reward, or leave --fleet-rewards out."
        : "The reward is a function, which a worker does not have. Name a reward of the registry, or leave --fleet-rewards out.",
    );
  }
  for (const planned of readRewardPlan(plan).rewards) {
    const { mayUse } = plannedMethod(planned);
    const why =
      mayUse?.references !== undefined
        ? "compares with the updates before"
        : mayUse?.gold !== undefined
          ? "takes what the training shows it"
          : planned.normalise === "batch" || planned.normalise === "range"
            ? `is normalised over the whole update (${planned.normalise})`
            : undefined;
    if (why === undefined) continue;
    throw new EngineError(
      "needs-unmet",
      `The reward ${plannedName(planned)} ${why}, and reward workers see one task at a time. Leave --fleet-rewards out.`,
      { details: { reward: plannedName(planned) } },
    );
  }
  return plan;
}

/** By the chat model of this environment, where a judge is needed, and scorers as this machine finds them. */
export async function openAwayRewards(
  stored: JsonObject,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<AwayRewards> {
  const plan: RewardPlan = readRewardPlan(requireAwayRewards(stored));
  await requireRewardNeeds(plan, environment);
  const scorers = withScorers(plan);
  const asks = plan.rewards.map(plannedMethod).some(({ needs }) => needs.includes("judge"));
  let judging: Promise<OpenedAsker> | undefined;
  const judgeFor = ({ seed, update, signal }: AwayUpdate): ((prompt: string) => Promise<string>) => {
    let asked = 0;
    return async (prompt) => {
      judging ??= openChatAsker(environment);
      const { asker } = await judging;
      asked += 1;
      return (await asker(prompt, { maxTokens: JUDGE_TOKENS, signal, seed: `${seed} ${update} ${asked}` })).text;
    };
  };
  return {
    give: async (episodes, of) => {
      const { trajectories } = await rewardTrajectories(episodes, scorers.plan, {
        ...worldsVerdict,
        signal: of.signal,
        update: of.update,
        ...(asks ? { judge: judgeFor(of) } : {}),
      });
      return trajectories;
    },
    close: async () => {
      await scorers.close();
      // What did not open needs no closing.
      await (await judging?.catch(() => undefined))?.close();
    },
  };
}
