/**
 * One node of a search tree: a moment of an episode, the step that led there, and what the search thinks of it.
 *
 * Nodes are kept by the hundred thousand, so that everything heavy (worlds, conversations) lives elsewhere and can be
 * had again; see `worlds.ts` and `minds.ts`.
 */
import type { PlainError } from "limbeck-base/base/errors";
import type { Ending, Score, Step, TokenStream } from "limbeck-base/trajectory/trajectory";
import type { JsonObject } from "limbeck-base/base/json";

/** What is fixed when a node is made. */
export interface NodeFacts {
  readonly parent: SearchNode | undefined;
  /** Among what left its parent, in the order of asking; never in the order of finishing. */
  readonly order: number;
  /** The step that led here; undefined at the root. Its span counts from the beginning of the piece. */
  readonly step: Step | undefined;
  /** Tokens recorded since the parent, with exact agents. */
  readonly piece: Piece | undefined;
  readonly observation: string;
  readonly stateKey: string;
  readonly ending: Ending | undefined;
  /** As the world says so far. */
  readonly reward: Score;
  readonly success: boolean | null;
  /** Part of a Monte Carlo estimate: stored like any other, but no child that selection looks at. */
  readonly simulated: boolean;
  /** Log-probability of the answer, summed, and its tokens; undefined where the policy gives none. */
  readonly logprob: number | undefined;
  readonly said: number;
  readonly failure?: PlainError | undefined;
  /** Why it ended, when neither the world nor a failure ended it. */
  readonly stopped?: string | undefined;
}

const NONE: readonly SearchNode[] = [];

export class SearchNode {
  readonly parent: SearchNode | undefined;
  readonly order: number;
  readonly depth: number;
  readonly step: Step | undefined;
  readonly piece: Piece | undefined;
  readonly observation: string;
  readonly stateKey: string;
  readonly ending: Ending | undefined;
  readonly reward: Score;
  readonly success: boolean | null;
  readonly simulated: boolean;
  readonly logprob: number | undefined;
  readonly said: number;
  readonly failure: PlainError | undefined;
  readonly stopped: string | undefined;
  /** Proposals that were the same action as this one, itself included. */
  copies = 1;
  /** Statistics of the search: how often it was gone through, and the sum of what was backed up through it. */
  visits = 0;
  total = 0;
  /** The estimate of the value function, from 0 (hopeless) to 1 (solved). */
  estimate: number | undefined;
  /** Replay did not lead here again: nothing goes on from it. */
  dropped = false;
  /** Facts a method wants kept with the trajectory. */
  info: JsonObject | undefined;
  #children: readonly SearchNode[] = NONE;
  #simulations: readonly SearchNode[] = NONE;
  #left = 0;
  #proposed = 0;

  constructor(facts: NodeFacts) {
    this.parent = facts.parent;
    this.order = facts.order;
    this.depth = facts.parent === undefined ? 0 : facts.parent.depth + 1;
    this.step = facts.step;
    this.piece = facts.piece;
    this.observation = facts.observation;
    this.stateKey = facts.stateKey;
    this.ending = facts.ending;
    this.reward = facts.reward;
    this.success = facts.success;
    this.simulated = facts.simulated;
    this.logprob = facts.logprob;
    this.said = facts.said;
    this.failure = facts.failure;
    this.stopped = facts.stopped;
  }

  /** Children in the order of asking. */
  get children(): readonly SearchNode[] {
    return this.#children;
  }
  /** First nodes of Monte Carlo continuations from here. */
  get simulations(): readonly SearchNode[] {
    return this.#simulations;
  }
  /** The action that led here. */
  get action(): string | undefined {
    return this.step?.action;
  }
  /** Nothing can go on from here. */
  get closed(): boolean {
    return this.ending !== undefined || this.dropped;
  }
  /** Mean of what was backed up; its estimate before anything was. */
  get mean(): number {
    return this.visits === 0 ? (this.estimate ?? 0) : this.total / this.visits;
  }
  /** The orders from the root, dot by dot: the same for the same search whatever the concurrency. */
  get path(): string {
    return this.parent === undefined
      ? ""
      : `${this.parent.parent === undefined ? "" : `${this.parent.path}.`}${this.order}`;
  }

  /** A place for something that will leave here. */
  nextOrder(): number {
    this.#left += 1;
    return this.#left - 1;
  }
  /** Numbers of the next answers to ask for; each is drawn with a seed of its own. */
  nextProposals(count: number): number[] {
    const first = this.#proposed;
    this.#proposed += count;
    return Array.from({ length: count }, (_, at) => first + at);
  }
  add(child: SearchNode): void {
    if (child.simulated && !this.simulated) this.#simulations = inOrder(this.#simulations, child);
    else this.#children = inOrder(this.#children, child);
  }
}

/** Nearly always the last; the first to start may finish last. */
function inOrder(nodes: readonly SearchNode[], added: SearchNode): readonly SearchNode[] {
  const list = nodes === NONE ? [] : (nodes as SearchNode[]);
  let at = list.length;
  while (at > 0 && (list[at - 1] as SearchNode).order > added.order) at -= 1;
  list.splice(at, 0, added);
  return list;
}

/**
 * From the root to the node, both included.
 *
 * @example
 * import type { Search } from "limbeck/search";
 *
 * const run: Search["run"] = async (scope) => {
 *   const end = await scope.walkOn(scope.root);
 *   if (end !== undefined) console.log(lineTo(end).map(({ depth }) => depth)); // [ 0, 1 ]
 *   return end;
 * };
 * await search({ env: "countdown", policy: "expert", tasks: 1, search: { run } });
 */
export function lineTo(node: SearchNode): SearchNode[] {
  const line: SearchNode[] = [];
  for (let at: SearchNode | undefined = node; at !== undefined; at = at.parent) line.push(at);
  return line.reverse();
}

/**
 * The steps of the episode up to the node.
 *
 * @example
 * import type { Search } from "limbeck/search";
 *
 * const run: Search["run"] = async (scope) => {
 *   const end = await scope.walkOn(scope.root);
 *   if (end !== undefined) console.log(stepsTo(end).length); // 1
 *   return end;
 * };
 * await search({ env: "countdown", policy: "expert", tasks: 1, search: { run } });
 */
export function stepsTo(node: SearchNode): Step[] {
  return lineTo(node).flatMap(({ step }) => (step === undefined ? [] : [step]));
}

/**
 * Children of a node, simulations last.
 *
 * @example
 * import type { Search } from "limbeck/search";
 *
 * const run: Search["run"] = async (scope) => {
 *   const end = await scope.walkOn(scope.root);
 *   console.log(nextNodes(scope.root).length); // 1
 *   return end;
 * };
 * await search({ env: "countdown", policy: "expert", tasks: 1, search: { run } });
 */
export function nextNodes(node: SearchNode): readonly SearchNode[] {
  return node.simulations.length === 0 ? node.children : [...node.children, ...node.simulations];
}

/**
 * The node and everything below it, parents first, in the order of asking.
 *
 * @example
 * import type { Search } from "limbeck/search";
 *
 * const run: Search["run"] = async (scope) => {
 *   const end = await scope.walkOn(scope.root);
 *   console.log(nodesBelow(scope.root).length); // 2
 *   return end;
 * };
 * await search({ env: "countdown", policy: "expert", tasks: 1, search: { run } });
 */
export function nodesBelow(node: SearchNode): SearchNode[] {
  const found: SearchNode[] = [];
  const open: SearchNode[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next);
    const below = nextNodes(next);
    for (let at = below.length - 1; at >= 0; at -= 1) open.push(below[at] as SearchNode);
  }
  return found;
}

/**
 * What the world says of an ended episode, from 0 to 1: 1 for a success, otherwise its reward within these bounds.
 * Undefined while it goes on, and for one that is unscored.
 *
 * @example
 * import type { Search } from "limbeck/search";
 *
 * const run: Search["run"] = async (scope) => {
 *   const end = await scope.walkOn(scope.root);
 *   if (end !== undefined) console.log(outcomeOfNode(scope.root), outcomeOfNode(end)); // undefined 1
 *   return end;
 * };
 * await search({ env: "countdown", policy: "expert", tasks: 1, search: { run } });
 */
export function outcomeOfNode({ ending, success, reward }: SearchNode): number | undefined {
  if (ending === undefined || reward.kind === "unscored") return undefined;
  return success === true ? 1 : Math.min(1, Math.max(0, reward.value));
}

// What a node of a search tree recorded since its parent.

export interface Piece {
  /** Tokens of the context before the first of these. Fewer than the parent's context has when a message was written anew. */
  readonly shared: number;
  /** The first goes on in the context in hand, each further one opens a context of its own. */
  readonly streams: readonly TokenStream[];
  /** Tokens of each stream. */
  readonly lengths: readonly number[];
}
