/** One search over one task: opens the world, lets the method work within its budget, stores the tree. */
import { checkOptions, may } from "limbeck-base/base/options";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { EngineError, throwIfAborted, type PlainError } from "limbeck-base/base/errors";
import { unscored } from "limbeck-base/trajectory/score";
import type { Json, JsonObject } from "limbeck-base/base/json";
import type { Parent, Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Spending } from "../purse.ts";
import { beginWalk, cancelledError, checkNeeds, needFor } from "../scope.ts";
import { firstLargest } from "../shares.ts";
import { nextNodes, lineTo, nodesBelow, outcomeOfNode, stepsTo, type SearchNode } from "./node.ts";
import { openSession, type SearchCounts, type Session } from "./session.ts";
import {
  RUN_SEARCH_CHECKS,
  type AskOptions,
  type Proposal,
  type ProposeOptions,
  type RunSearchOptions,
  type SearchNeeds,
  type SearchScope,
} from "./search.ts";
import { goesOn, joinLine } from "./pieces.ts";
import { isIrreversible, listedActions } from "../../env/world-faults.ts";
import { payForCall, withPurses } from "../pay.ts";
import { tokensAtMost } from "./asker.ts";
import { countFailure, lookAt, propose, take, takeWhat, walkOn } from "./moves.ts";

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
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
 * import { createSearch, createTokenAgent } from "limbeck/search";
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
  const { date = () => new Date().toISOString() } = options;
  checkSearchNeeds(options);
  const startedAt = date();
  const begun = beginWalk(options);
  let session: Session | undefined;
  let chosen: SearchNode | undefined;
  const trajectories: Trajectory[] = [];
  try {
    session = await openSession(options, begun);
    if (!session.root.closed) {
      const rng = createRng(seed).split("search");
      const root = await nodeAfter(createSearchScope(session, rng), options.after ?? []);
      chosen = root.closed ? root : await search.run(createSearchScope({ ...session, root }, rng));
    }
  } finally {
    begun.unlink();
    begun.stop.abort();
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
  if (signal?.aborted === true) throw cancelledError("search", signal);
  const { root, counts, failures } = session;
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
    spent: begun.purse.spent,
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

function checkSearchNeeds({ agent, search, value = search.value, asker }: RunSearchOptions): void {
  const there = { ask: asker !== undefined, tokens: agent.exact, value: value !== undefined };
  checkNeeds(search.needs, there, (missing) => {
    const words = missing.map((need) => NEEDS[need]).join(", and ");
    return `The search ${search.name ?? ""} needs ${words}; give it, or choose another.`;
  });
}

// A search tree as stored trajectories. A line goes on with the child that did best (the chosen line before all others),
// so that the first trajectory is the whole episode the search would act on; every other child begins a branch that
// names its parent and the step where it left.

export interface ForestOptions {
  readonly session: Pick<Session, "task" | "agent" | "root">;
  readonly group: string;
  readonly method: string;
  readonly chosen: SearchNode | undefined;
  readonly startedAt: string;
}

/** Parents before their branches; each is made when it is asked for. */
export function* treeTrajectories(options: ForestOptions): Generator<Trajectory, void> {
  const { root } = options.session;
  const chosen = new Set(options.chosen === undefined ? [] : lineTo(options.chosen));
  const best = bestBelow(root);
  const open: { readonly first: SearchNode; readonly parent: Parent | undefined }[] = [
    { first: root, parent: undefined },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { first, parent } = next;
    const line = [first];
    const id = parent === undefined ? `${options.group}/search` : `${options.group}/search.${first.path}`;
    const branches: typeof open = [];
    for (let at = first; ;) {
      const below = nextNodes(at);
      const on = follow(at, below, chosen, best);
      for (const child of below) {
        if (child !== on) branches.push({ first: child, parent: { trajectory: id, step: at.depth } });
      }
      if (on === undefined) break;
      line.push(on);
      at = on;
    }
    yield trajectoryOf(options, { id, parent, line });
    open.push(...branches.reverse());
  }
}

/** The best that was found at or below each node: what the world says of ended ones, then estimates. */
function bestBelow(root: SearchNode): ReadonlyMap<SearchNode, number> {
  const best = new Map<SearchNode, number>();
  const all = nodesBelow(root);
  for (let at = all.length - 1; at >= 0; at -= 1) {
    const node = all[at] as SearchNode;
    const outcome = outcomeOfNode(node);
    // Whatever ended with a score comes before what did not end.
    let most = outcome === undefined ? (node.estimate ?? 0) - 2 : outcome;
    for (const child of nextNodes(node)) most = Math.max(most, best.get(child) ?? -2);
    best.set(node, most);
  }
  return best;
}

/** The child that the line goes on with. One whose message was written anew cannot share the line's tokens. */
function follow(
  node: SearchNode,
  below: readonly SearchNode[],
  chosen: ReadonlySet<SearchNode>,
  best: ReadonlyMap<SearchNode, number>,
): SearchNode | undefined {
  const following = below.filter((child) => goesOn(node, child));
  return firstLargest(following, (child) => (chosen.has(child) ? Number.POSITIVE_INFINITY : (best.get(child) ?? -2)));
}

interface LineOf {
  readonly id: string;
  readonly parent: Parent | undefined;
  readonly line: readonly SearchNode[];
}

function trajectoryOf(options: ForestOptions, { id, parent, line }: LineOf): Trajectory {
  const { session, group, chosen, startedAt } = options;
  const { task, agent } = session;
  const last = line.at(-1) as SearchNode;
  const { steps, streams, shared } = joinLine(line);
  const stopped = last.stopped ?? (last.ending === undefined ? "search" : undefined);
  const info: JsonObject = {
    ...(stopped === undefined ? {} : { stopped }),
    ...(parent === undefined || !agent.exact ? {} : { sharedTokens: shared }),
    search: {
      method: options.method,
      ...(chosen !== undefined && last === chosen ? { chosen: true } : {}),
      nodes: factsOf(line),
    },
  };
  return {
    id,
    task,
    group,
    ...(parent === undefined ? {} : { parent }),
    steps,
    streams,
    ending: last.ending ?? "truncated",
    reward: last.ending === undefined ? unscored("stopped: search") : last.reward,
    success: last.ending === undefined ? null : last.success,
    rewards: [],
    policy: agent.ref,
    usage: {
      completionTokens: line.reduce((total, { said }) => total + said, 0),
      modelCalls: steps.reduce((total, { usage }) => total + (usage?.modelCalls ?? 0), 0),
    },
    timing: { startedAt },
    closing: { observation: last.observation },
    ...(last.failure === undefined ? {} : { failure: last.failure }),
    info,
  };
}

/** What the search thought of each node, kept with the trajectory. */
function factsOf(line: readonly SearchNode[]): JsonObject[] {
  const all: JsonObject[] = [];
  let path: string | undefined;
  for (const node of line) {
    if (node.step === undefined) continue;
    // Each is the child of the one before.
    path = path === undefined ? node.path : `${path}.${node.order}`;
    all.push(nodeFacts(node, path));
  }
  return all;
}

function nodeFacts(node: SearchNode, path: string): JsonObject {
  const facts: Record<string, Json> = { step: node.depth - 1, path };
  if (node.visits > 0) facts["visits"] = node.visits;
  if (node.visits > 0) facts["mean"] = node.mean;
  if (node.estimate !== undefined) facts["estimate"] = node.estimate;
  if (node.copies > 1) facts["copies"] = node.copies;
  if (node.simulated) facts["simulated"] = true;
  if (node.dropped) facts["dropped"] = true;
  return node.info === undefined ? facts : { ...facts, ...node.info };
}

// A scope at work: the tree grows through it, and it pays for everything from its purse.

export function createSearchScope(session: Session, rng: Rng): SearchScope {
  const { env, agent, task, root, signal, rounds, alike, purse, seesOutcome } = session;
  const scope: SearchScope = {
    env,
    agent,
    task,
    root,
    rng,
    purse,
    signal,
    seesOutcome,
    canAsk: session.asker !== undefined,
    left: () => session.account.share(),
    propose: (node, options) => rounds.during(() => propose(session, node, options)),
    take: (node, what) => rounds.during(() => takeWhat(session, node, what)),
    expand: (node, options) => rounds.during(() => expand(session, node, options)),
    walkOn: (node, options) => rounds.during(() => walkOn(session, node, options)),
    evaluate: (nodes) => rounds.during(() => evaluate(session, scope, nodes)),
    ask: (prompt, options) => ask(session, prompt, options),
    pay: (need, work) => payForCall(purse, need, session.prices, work),
    admissible: async (node) => {
      const world = node.closed ? undefined : await lookAt(session, node);
      return world === undefined ? undefined : listedActions(world);
    },
    irreversible: async (node, action) => {
      const world = node.closed ? undefined : await lookAt(session, node);
      return world === undefined ? true : await isIrreversible(world, action);
    },
    verify: (node) => rounds.during(() => session.worlds.verify(node, purse)),
    alike: (left, right) => alike.same(left, right),
    meanings: (actions) => alike.firsts(actions),
    safe: () => createSearchScope({ ...session, guarded: true }, rng),
    each: (items, work, { need = needFor(agent, env.maxSteps, env.maxSteps) } = {}) =>
      rounds.during(() =>
        withPurses(purse, items.length, need, async (index, own) => {
          throwIfAborted(signal);
          return await work(
            createSearchScope({ ...session, purse: own }, rng.split(index)),
            items[index] as never,
            index,
          );
        }),
      ),
  };
  return scope;
}

async function expand(session: Session, node: SearchNode, options: ProposeOptions = {}): Promise<SearchNode[]> {
  const proposals = await propose(session, node, options);
  const there = node.children;
  const firsts = await session.alike.firsts([
    ...there.map(({ action = "" }) => action),
    ...proposals.map(({ action }) => action),
  ]);
  /** The number of proposals behind each new child, by the place of the first. */
  const copies = new Map<number, number>();
  for (const [at, proposal] of proposals.entries()) {
    const first = firsts[there.length + at] as number;
    const known = there[first];
    if (known !== undefined) known.copies += 1;
    else copies.set(first, (copies.get(first) ?? 0) + 1);
    if (known === undefined && first === there.length + at) continue;
    session.counts.merged += 1;
    proposal.live.close();
  }
  const fresh = [...copies].map(([place, count]) => ({
    proposal: proposals[place - there.length] as Proposal,
    count,
    order: node.nextOrder(),
  }));
  // Paid for in the order of asking: a step, and a replay of the line where no world is kept.
  const children = await withPurses(session.purse, fresh.length, { envSteps: 1 + node.depth }, async (index, purse) => {
    const { proposal, count, order } = fresh[index] as (typeof fresh)[number];
    const child = await take({ ...session, purse }, proposal, { order, simulated: false });
    if (child !== undefined) child.copies = count;
    return child;
  });
  return children.filter((child) => child !== undefined);
}

async function evaluate(session: Session, scope: SearchScope, nodes: readonly SearchNode[]): Promise<void> {
  const { seesOutcome, value } = session;
  const asked: SearchNode[] = [];
  for (const node of new Set(nodes)) {
    if (node.estimate !== undefined) continue;
    const outcome = seesOutcome ? outcomeOfNode(node) : undefined;
    if (outcome !== undefined) node.estimate = outcome;
    else if (!node.dropped && !(seesOutcome && node.ending !== undefined)) asked.push(node);
  }
  if (value === undefined || asked.length === 0) return;
  const estimates = await value.estimate(asked, scope);
  if (estimates.length !== asked.length) {
    throw new EngineError("bad-value", `The value gave ${estimates.length} numbers for ${asked.length} nodes.`);
  }
  for (const [at, node] of asked.entries()) {
    const estimate = estimates[at];
    if (estimate !== undefined && !Number.isFinite(estimate)) {
      throw new EngineError(
        "bad-value",
        `The value of node "${node.path}" is ${estimate}; it must be a number from 0 to 1.`,
      );
    }
    node.estimate = estimate;
  }
}

async function ask(
  session: Session,
  prompt: string,
  { answerTokens = 256, sample = 0, kind = "critique" }: AskOptions = {},
): Promise<string | undefined> {
  const { asker, calls, prices, seed, task, purse } = session;
  if (asker === undefined) return undefined;
  const atMost = tokensAtMost(prompt);
  try {
    return await payForCall(purse, { read: atMost, said: answerTokens }, prices, async (maxTokens, used) => {
      used({ read: atMost, said: 0, modelCalls: 1 });
      // The seed is a digest, so that it does not carry the whole question.
      const drawn = createRng(`${seed} ask ${sample} ${prompt}`).int(2 ** 31);
      const { text, usage } = await calls.policy(({ signal }) =>
        asker(prompt, { maxTokens, signal, seed: `${drawn}`, kind, goal: task.goal }),
      );
      used({
        read: usage?.promptTokens ?? atMost,
        said: usage?.completionTokens ?? Math.min(maxTokens, Buffer.byteLength(text)),
        modelCalls: usage?.modelCalls ?? 1,
      });
      return text;
    });
  } catch (error) {
    return countFailure(session, error);
  }
}
