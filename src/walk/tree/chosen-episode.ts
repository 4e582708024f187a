/** The line that a search would act on, as an episode of its own: whole, without the tree around it. */
import { unscored, type Trajectory } from "../../trajectory/index.ts";
import type { Agent } from "../mind/agent.ts";
import { lineTo } from "./node.ts";
import { joinLine } from "./pieces.ts";
import type { SearchResult } from "./run-search.ts";

export interface EpisodeName {
  readonly id: string;
  readonly group: string;
  readonly agent: Agent;
  /** The search, as it is called. */
  readonly method: string;
}

/** What was not carried to an end did not reach its goal within the budget. */
export function chosenEpisode(result: SearchResult, { id, group, agent, method }: EpisodeName): Trajectory {
  const { task, root, chosen = root, spent } = result;
  const { steps, streams } = joinLine(lineTo(chosen));
  const { ending = "truncated", reward, success, observation, failure } = chosen;
  const isUnfinished = chosen.ending === undefined;
  return {
    id,
    task,
    group,
    steps,
    streams,
    ending,
    reward: isUnfinished ? unscored("stopped: search") : reward,
    success: isUnfinished ? false : success,
    rewards: [],
    policy: agent.ref,
    // What the whole search took, since that is what this episode cost.
    usage: { modelCalls: spent.modelCalls, completionTokens: spent.sampledTokens, costUsd: spent.usd },
    closing: { observation },
    ...(failure === undefined ? {} : { failure }),
    info: { search: { method, nodes: result.nodes, envSteps: spent.envSteps } },
  };
}

/** Actions that cannot be taken back and were carried out beside the chosen line: harm done while exploring. */
export function harmBeside({ irreversible, chosen }: SearchResult): number {
  const own = chosen === undefined ? [] : lineTo(chosen).filter(({ step }) => step?.info?.["irreversible"] === true);
  return Math.max(0, irreversible - own.length);
}
