/** One search over one task: opens the world, lets the method work within its budget, stores the tree. */
import { setMaxListeners } from "node:events";
import { createRng, EngineError, type ErrorData } from "../base/index.ts";
import type { Env } from "../env/index.ts";
import type { Agent, Sink } from "../rollout/index.ts";
import type { Task, Trajectory } from "../trajectory/index.ts";
import type { AlikeOptions } from "./alike.ts";
import type { Asker } from "./asker.ts";
import { spendingOf, type SearchBudget, type SearchSpending, type TokenPrices } from "./budget.ts";
import { stepsTo, type SearchNode } from "./node.ts";
import { cancelled, openSession } from "./open-session.ts";
import { createSearchScope } from "./scope.ts";
import type { Search, SearchNeeds, SearchScope } from "./search.ts";
import type { SearchCounts, Session } from "./session.ts";
import { treeTrajectories } from "./tree-forest.ts";
import type { Value } from "./values/value.ts";

export interface SearchOptions {
  readonly env: Env;
  readonly agent: Agent;
  readonly task: Task;
  readonly search: Search & { readonly name?: string; readonly needs?: readonly SearchNeeds[] };
  readonly seed: number | string;
  readonly budget?: SearchBudget;
  readonly prices?: TokenPrices;
  readonly value?: Value;
  readonly asker?: Asker;
  /**
   * Whether the search sees how the world scored an episode that has ended; true unless told. Where a real agent would
   * not be told (a question with a hidden answer) that makes the world an oracle: set it to false for a fair figure.
   */
  readonly seesOutcome?: boolean;
  /** When two actions mean the same. */
  readonly alike?: AlikeOptions;
  /**
   * What is remembered instead of asked for again. `answers`: of the policy, by state and number; they are then the same
   * in every branch that comes to the state. `replies`: of the world, by depth, state and action; only for worlds whose
   * state key says everything. Only what has come back is remembered: two branches at the same time both ask.
   */
  readonly remember?: { readonly answers?: boolean; readonly replies?: boolean };
  /** Copies of worlds, or replays from the start where they cannot be copied or must not be. */
  readonly worlds?: "fork" | "replay";
  /**
   * Worlds and minds kept at a time; 1,024 and 256 unless told, 4,096 minds of agents without tokens, which take little
   * room. Others are made again when they are needed.
   */
  readonly keep?: { readonly worlds?: number; readonly minds?: number };
  readonly concurrency?: number;
  readonly steps?: number;
  /** Actions that were taken already, by whomever: the search begins after them. They are carried out, and paid, again. */
  readonly after?: readonly string[];
  readonly policySeconds?: number;
  readonly envSeconds?: number;
  /** Stands before the name of the group. */
  readonly prefix?: string;
  readonly sink?: Sink;
  /** Whether the result holds the trajectories; true unless told. A very large tree needs half the memory without. */
  readonly collect?: boolean;
  readonly signal?: AbortSignal;
  readonly onNode?: (node: SearchNode) => void;
  readonly now?: () => number;
  readonly date?: () => string;
}

export interface SearchResult extends Readonly<SearchCounts> {
  readonly task: Task;
  readonly root: SearchNode;
  /** The node whose line the search would act on. */
  readonly chosen: SearchNode | undefined;
  /** The actions of that line, from the start. */
  readonly actions: readonly string[];
  readonly success: boolean | null;
  readonly reward: SearchNode["reward"] | undefined;
  readonly spent: SearchSpending;
  /** The whole tree; the first is the chosen line. Empty when they were not to be collected. */
  readonly trajectories: readonly Trajectory[];
  /** The first failures of calls. */
  readonly failures: readonly ErrorData[];
}

export async function runSearch(options: SearchOptions): Promise<SearchResult> {
  const { agent, task, search, seed, signal, sink, prefix = "", collect = true } = options;
  const { now = () => performance.now(), date = () => new Date().toISOString() } = options;
  checkNeeds(options);
  const startedAt = date();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const forward = (): void => stop.abort(signal?.reason);
  if (signal?.aborted === true) forward();
  signal?.addEventListener("abort", forward, { once: true });
  let session: Session | undefined;
  let chosen: SearchNode | undefined;
  const trajectories: Trajectory[] = [];
  try {
    session = await openSession(options, stop.signal, now);
    if (!session.root.closed) {
      const rng = createRng(seed).split("search");
      const root = await nodeAfter(createSearchScope(session, session.purse, rng), options.after ?? []);
      chosen = root.closed ? root : await search.run(createSearchScope({ ...session, root }, session.purse, rng));
    }
  } finally {
    signal?.removeEventListener("abort", forward);
    stop.abort();
    if (session !== undefined) {
      session.calls.close();
      session.minds.close();
      session.worlds.close();
      const group = prefix + task.id;
      const method = search.name ?? "search";
      for (const trajectory of treeTrajectories({ session, group, method, chosen, startedAt })) {
        if (collect) trajectories.push(trajectory);
        await sink?.append(trajectory);
      }
    }
  }
  if (signal?.aborted === true) throw cancelled(signal);
  const { root, counts, failures, purse } = session;
  if (counts.nodes === 0 && failures.length > 0) {
    const [first] = failures;
    throw new EngineError("search-failed", `The search of task "${task.id}" got nowhere: ${first?.message}`, {
      details: { task: task.id, policy: agent.ref.name, failures },
    });
  }
  return {
    ...counts,
    task,
    root,
    chosen,
    actions: chosen === undefined ? [] : stepsTo(chosen).map(({ action }) => action),
    success: chosen === undefined ? null : chosen.success,
    reward: chosen?.reward,
    spent: spendingOf(purse),
    trajectories,
    failures,
  };
}

async function nodeAfter(scope: SearchScope, actions: readonly string[]): Promise<SearchNode> {
  let node = scope.root;
  for (const action of actions) {
    const next = await scope.take(node, action);
    if (next === undefined) {
      throw new EngineError(
        "search-failed",
        `The search cannot begin after ${actions.length} actions: "${action}" could not be carried out again. Raise the budget of environment steps.`,
      );
    }
    node = next;
  }
  return node;
}

const NEEDS: Readonly<Record<SearchNeeds, string>> = {
  ask: "a text model to ask",
  tokens: "a policy with exact tokens",
  value: "a value of unfinished episodes",
};

function checkNeeds({ agent, search, value = search.value, asker }: SearchOptions): void {
  const there = { ask: asker !== undefined, tokens: agent.exact, value: value !== undefined };
  const missing = (search.needs ?? []).filter((need) => !there[need]);
  if (missing.length === 0) return;
  throw new EngineError(
    "needs-unmet",
    `The search ${search.name ?? ""} needs ${missing.map((need) => NEEDS[need]).join(", and ")}; give it, or choose another.`,
    { details: { missing } },
  );
}
