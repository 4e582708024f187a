/** What a search of one task came to. */
import { errorData, type PlainError } from "../../base/index.ts";
import { unscored, type Task, type Trajectory } from "../../trajectory/index.ts";
import type { Agent } from "../mind/agent.ts";
import type { Spending } from "../purse.ts";

/** What is kept of a search; the tree itself is let go. */
export interface SearchOutcome {
  readonly task: Task;
  /** The line it would act on. */
  readonly episode: Trajectory;
  readonly nodes: number;
  readonly spent: Spending;
  /** Actions that cannot be taken back: on the chosen line and beside it. */
  readonly irreversible: number;
  readonly harm: number;
  readonly failures: readonly PlainError[];
}

/**
 * Nothing was played: an episode that failed.
 *
 * @example
 * import { createScriptedPolicy } from "limbeck/policy/tabular";
 * import { createTokenAgent } from "limbeck/walk";
 *
 * const policy = createScriptedPolicy({ script: () => "look" });
 * const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
 * const task = { id: "1", env: "own", seed: 1, goal: "find a cup", split: "train" };
 * console.log(lostEpisode(task, new Error("The world is gone."), { id: "1", group: "1", agent }).ending); // failed
 */
export function lostEpisode(
  task: Task,
  error: unknown,
  { id, group, agent }: { readonly id: string; readonly group: string; readonly agent: Agent },
): Trajectory {
  const failure = errorData(error);
  const shared = { id, task, group, steps: [], streams: [], rewards: [], policy: agent.ref, success: null };
  const full = firstFailure(failure);
  if (full?.code === "past-context") {
    const reward = unscored(`stopped: context. ${full.message}`);
    return { ...shared, ending: "truncated", reward, info: { stopped: "context" } };
  }
  return {
    ...shared,
    failure,
    ending: "failed",
    reward: unscored(failure.message),
  };
}

/** What stopped a search that got nowhere, as `runSearch` says it. */
function firstFailure({ details }: PlainError): PlainError | undefined {
  const failures = details?.["failures"];
  return Array.isArray(failures) ? (failures[0] as PlainError | undefined) : undefined;
}

export function lostOutcome(episode: Trajectory): SearchOutcome {
  const spent = { modelCalls: 0, tokens: 0, sampledTokens: 0, reusedTokens: 0, envSteps: 0, usd: 0, seconds: 0 };
  const failures = episode.failure === undefined ? [] : [episode.failure];
  return { task: episode.task, episode, nodes: 0, spent, irreversible: 0, harm: 0, failures };
}
