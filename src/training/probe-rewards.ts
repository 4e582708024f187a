/** Whether the rewards of a training can score an episode of its world at all, tried on one that went well. */
import { EngineError } from "../base/index.ts";
import { rewardTrajectories, type RewardPlan } from "../reward/index.ts";
import { plainRewardPlan } from "../reward/plan-file.ts";
import { plannedMethod } from "../reward/registry.ts";
import { createStrategy } from "../rollout/index.ts";
import { tasksOf } from "../update/collect.ts";
import { callsIn } from "../update/reference-calls.ts";
import { createDemonstratorAgent, rollOut } from "../walk/index.ts";
import type { OpenedWorld } from "./parts.ts";
import { goldIn, worldsVerdict } from "./run-rewards.ts";

/**
 * A plan that cannot score what the world's demonstrator does would teach nothing in all updates. Nobody is asked where
 * there is no demonstrator, where a judge would cost, or where the plan holds what only code gives.
 */
export async function requireScores(plan: RewardPlan, world: OpenedWorld, signal: AbortSignal): Promise<void> {
  const { env, demonstrator } = world;
  const methods = plan.rewards.map(plannedMethod);
  if (demonstrator === undefined || plainRewardPlan(plan) === undefined) return;
  if (methods.some(({ needs }) => needs.includes("judge"))) return;
  // A scorer reads the tokens of a model, and a demonstrator has none.
  if (plan.rewards.some(({ scorer }) => scorer !== undefined)) return;
  const [task] = await tasksOf(env, "train", 0, 1);
  if (task === undefined) return;
  const agent = createDemonstratorAgent(demonstrator);
  const { trajectories } = await rollOut({
    env,
    agent,
    strategy: createStrategy("group", { size: 1 }),
    tasks: [task],
    seed: "rewards",
    signal,
  });
  const [shown] = trajectories;
  if (shown?.success !== true) return;
  const calls = shown.steps.flatMap(({ action }) => callsIn(action));
  const known = { ...goldIn(env, task), ...(calls.length === 0 ? {} : { calls }) };
  const gold = Object.keys(known).length === 0 ? {} : { gold: () => known };
  // Twice, since some rewards compare the episodes of a group.
  const pair = [shown, { ...shown, id: `${shown.id} again` }];
  const rewarded = await rewardTrajectories(pair, plan, { ...worldsVerdict, ...gold, signal });
  const [given] = rewarded.trajectories;
  // Of steps one will do: some rewards judge a few of them only.
  const scores = [
    ...(plan.reward === undefined || given === undefined ? [] : [[given.reward]]),
    ...(plan.stepReward === undefined ? [] : [given?.steps.map(({ reward }) => reward) ?? []]),
  ];
  const score = scores.find((some) => some.length > 0 && some.every(({ kind }) => kind === "unscored"))?.[0];
  if (score?.kind !== "unscored") return;
  throw new EngineError(
    "needs-unmet",
    `The rewards ${methods.map(({ id }) => id).join(", ")} cannot score an episode of "${env.id}": ${score.why}. Choose a world that has it (--env), another reward, or options that say where it is.`,
    { details: { world: env.id } },
  );
}
