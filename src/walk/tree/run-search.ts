/** One search over one task: opens the world, lets the method work within its budget, stores the tree. */
import { checkOptions, may } from "../../base/options.ts";
import { setMaxListeners } from "node:events";
import { createRng, EngineError, type PlainError } from "../../base/index.ts";
import type { Task, Trajectory } from "../../trajectory/index.ts";
import type { Spending } from "../purse.ts";
import { stepsTo, type SearchNode } from "./node.ts";
import { cancelled, openSession } from "./open-session.ts";
import { createSearchScope } from "./scope.ts";
import type { SearchNeeds, SearchScope } from "./search.ts";
import { RUN_SEARCH_CHECKS, type RunSearchOptions } from "./search-options.ts";
import type { SearchCounts, Session } from "./session.ts";
import { treeTrajectories } from "./tree-forest.ts";

export interface SearchResult extends Readonly<SearchCounts> {
  readonly task: Task;
  readonly root: SearchNode;
  /** The node whose line the search would act on. */
  readonly chosen: SearchNode | undefined;
  /** The actions of that line, from the start. */
  readonly actions: readonly string[];
  readonly success: boolean | null;
  readonly reward: SearchNode["reward"] | undefined;
  readonly spent: Spending;
  /** The whole tree; the first is the chosen line. Empty when they were not to be collected. */
  readonly trajectories: readonly Trajectory[];
  /** The first failures of calls. */
  readonly failures: readonly PlainError[];
}

/**
 * Searches one task: the tree, the node it would act on, and what it spent.
 *
 * @example
 * import { createScriptedPolicy } from "limbeck/policy/tabular";
 * import { createSearch } from "limbeck/search";
 * import { createTokenAgent } from "limbeck/walk";
 *
 * const policy = createScriptedPolicy({ script: () => "<answer>10 + 9 + 4</answer>" });
 * const agent = createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
 * const env = await openEnv("countdown", { level: "easy" });
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const { success, spent } = await runSearch({ env, agent, task, search: createSearch("best-of-n", { n: 2 }), seed: 1 });
 *   console.log(success, spent.modelCalls); // true 2
 * }
 */
export async function runSearch(options: RunSearchOptions): Promise<SearchResult> {
  checkOptions("runSearch", { concurrency: options.agent.concurrency, ...options }, RUN_SEARCH_CHECKS);
  checkOptions("runSearch", options.keep, { worlds: may.whole, minds: may.whole }, "keep");
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
    spent: purse.spent,
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

function checkNeeds({ agent, search, value = search.value, asker }: RunSearchOptions): void {
  const there = { ask: asker !== undefined, tokens: agent.exact, value: value !== undefined };
  const missing = (search.needs ?? []).filter((need) => !there[need]);
  if (missing.length === 0) return;
  throw new EngineError(
    "needs-unmet",
    `The search ${search.name ?? ""} needs ${missing.map((need) => NEEDS[need]).join(", and ")}; give it, or choose another.`,
    { details: { missing } },
  );
}
