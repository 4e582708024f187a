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

/**
 * What was not carried to an end did not reach its goal within the budget.
 *
 * @example
 * import { createScriptedPolicy } from "limbeck/policy/tabular";
 * import { createSearch } from "limbeck/search";
 * import { createTokenAgent, runSearch } from "limbeck/walk";
 *
 * const policy = createScriptedPolicy({ script: () => "<answer>10 + 9 + 4</answer>" });
 * const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
 * const env = await openEnv("countdown", { level: "easy" });
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const result = await runSearch({ env, agent, task, search: createSearch("best-of-n", { n: 2 }), seed: 1 });
 *   console.log(chosenEpisode(result, { id: "1", group: "1", agent, method: "best-of-n" }).info?.["search"]); // { method: "best-of-n", nodes: 2, envSteps: 2 }
 * }
 */
export function chosenEpisode(result: SearchResult, { id, group, agent, method }: EpisodeName): Trajectory {
  const { task, root, chosen = root, spent } = result;
  const { steps, streams } = joinLine(lineTo(chosen));
  const { ending = "truncated", reward, success, observation, failure } = chosen;
  const isUnfinished = chosen.ending === undefined;
  // A line that ends where nothing more could be said for want of room tells nothing of the policy.
  const full = isUnfinished ? result.failures.find(({ code }) => code === "past-context")?.message : undefined;
  const stopped = chosen.stopped ?? (full === undefined ? undefined : "context");
  return {
    id,
    task,
    group,
    steps,
    streams,
    ending,
    reward: isUnfinished ? unscored(full === undefined ? "stopped: search" : `stopped: context. ${full}`) : reward,
    success: isUnfinished ? (full === undefined ? false : null) : success,
    rewards: [],
    policy: agent.ref,
    // What the whole search took, since that is what this episode cost.
    usage: { modelCalls: spent.modelCalls, completionTokens: spent.sampledTokens, costUsd: spent.usd },
    closing: { observation },
    ...(failure === undefined ? {} : { failure }),
    info: {
      ...(stopped === undefined ? {} : { stopped }),
      search: { method, nodes: result.nodes, envSteps: spent.envSteps },
    },
  };
}

/**
 * Actions that cannot be taken back and were carried out beside the chosen line: harm done while exploring.
 *
 * @example
 * import { createScriptedPolicy } from "limbeck/policy/tabular";
 * import { createSearch } from "limbeck/search";
 * import { createTokenAgent, runSearch } from "limbeck/walk";
 *
 * const policy = createScriptedPolicy({ script: () => "<answer>10 + 9 + 4</answer>" });
 * const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
 * const env = await openEnv("countdown", { level: "easy" });
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const result = await runSearch({ env, agent, task, search: createSearch("best-of-n", { n: 2 }), seed: 1 });
 *   console.log(result.irreversible, harmBeside(result)); // 0 0
 * }
 */
export function harmBeside({ irreversible, chosen }: SearchResult): number {
  const own = chosen === undefined ? [] : lineTo(chosen).filter(({ step }) => step?.info?.["irreversible"] === true);
  return Math.max(0, irreversible - own.length);
}
