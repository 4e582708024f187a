/** A walk as the trajectory that is stored. */
import type { PlainError } from "../../base/index.ts";
import type { JsonObject, TokenStream, Trajectory } from "../../trajectory/index.ts";
import type { LiveWalk } from "./runtime.ts";

/** What a walk itself has taken. */
export interface Tally {
  readonly startedAt: string;
  modelCalls: number;
  policyMs: number;
  envMs: number;
  durationMs: number;
}

type Told = Pick<
  LiveWalk,
  | "id"
  | "task"
  | "group"
  | "parent"
  | "steps"
  | "judgement"
  | "stopped"
  | "mind"
  | "world"
  | "ending"
  | "reward"
  | "success"
  | "runtime"
>;

/** What only the walk itself knows. */
interface Kept {
  readonly tally: Tally;
  readonly info: JsonObject;
  readonly failure: PlainError | undefined;
  readonly streams: readonly TokenStream[];
}

export function walkTrajectory(walk: Told, { tally, info: noted, failure, streams }: Kept): Trajectory {
  const { modelCalls, ...timing } = tally;
  const { id, task, group, parent, steps, judgement, stopped, mind, world, reward, success } = walk;
  const { agent } = walk.runtime;
  const shared = parent === undefined ? 0 : mind.sharedTokens;
  const info: JsonObject = {
    ...noted,
    ...(stopped === undefined ? {} : { stopped }),
    ...(parent === undefined || !agent.exact ? {} : { sharedTokens: shared }),
  };
  const completionTokens = steps.reduce((total, { usage }) => total + (usage?.completionTokens ?? 0), 0);
  return {
    id,
    task,
    group,
    ...(parent === undefined ? {} : { parent }),
    steps: [...steps],
    streams,
    ending: walk.ending ?? "truncated",
    reward,
    success,
    rewards: judgement?.rewards ?? [],
    policy: agent.ref,
    usage: { completionTokens, modelCalls, ...(shared === 0 ? {} : { cachedTokens: shared }) },
    timing,
    ...(world === undefined ? {} : { closing: { observation: world.observation } }),
    ...(world?.tools === undefined ? {} : { tools: world.tools }),
    ...(failure === undefined ? {} : { failure }),
    ...(Object.keys(info).length === 0 ? {} : { info }),
  };
}
