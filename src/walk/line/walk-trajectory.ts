/** A walk as the trajectory that is stored. */
import type { JsonObject, Trajectory } from "../../trajectory/index.ts";
import type { LiveWalk } from "./runtime.ts";

export function walkTrajectory(walk: LiveWalk): Trajectory {
  const { task, group, parent, steps, failure, judgement, stopped, mind, world } = walk;
  const shared = parent === undefined ? 0 : mind.sharedTokens;
  const info: JsonObject = {
    ...walk.info,
    ...(stopped === undefined ? {} : { stopped }),
    ...(parent === undefined || !walk.runtime.agent.exact ? {} : { sharedTokens: shared }),
  };
  const completionTokens = steps.reduce((total, { usage }) => total + (usage?.completionTokens ?? 0), 0);
  return {
    id: walk.id,
    task,
    group,
    ...(parent === undefined ? {} : { parent }),
    steps: [...steps],
    streams: mind.streams(),
    ending: walk.ending ?? "truncated",
    reward: walk.reward,
    success: walk.success,
    rewards: judgement?.rewards ?? [],
    policy: walk.runtime.agent.ref,
    usage: { completionTokens, modelCalls: walk.calls, ...(shared === 0 ? {} : { cachedTokens: shared }) },
    timing: {
      startedAt: walk.startedAt,
      durationMs: walk.durationMs,
      policyMs: walk.policyMs,
      envMs: walk.envMs,
    },
    ...(world === undefined ? {} : { closing: { observation: world.observation } }),
    ...(world?.tools === undefined ? {} : { tools: world.tools }),
    ...(failure === undefined ? {} : { failure }),
    ...(Object.keys(info).length === 0 ? {} : { info }),
  };
}
