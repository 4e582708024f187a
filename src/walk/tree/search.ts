/**
 * The contract of a search: where compute is spent at the moment of decision.
 *
 * A search is one function over a `SearchScope`. The scope holds the tree and everything that costs something: it asks
 * the policy for actions, carries them out in worlds that are copied or replayed, asks for values, and pays for all of it
 * from one budget before it happens. When something cannot be paid the scope answers with less (no proposals, no node);
 * a search that gets nothing back is over and returns the node it has chosen. A whole method can be this small:
 *
 *   run: async (scope) => {
 *     let best = [scope.root];
 *     while (best.some(({ closed }) => !closed)) {
 *       const grown = await scope.each(best, (own, node) => own.expand(node, { count: 4 }));
 *       await scope.evaluate(grown.flat());
 *       const next = grown.flat().toSorted((left, right) => (right.estimate ?? 0) - (left.estimate ?? 0)).slice(0, 8);
 *       if (next.length === 0) break;
 *       best = next;
 *     }
 *     return best[0];
 *   }
 *
 * Every node is a step of a stored trajectory branch; nothing that was carried out is lost, also when it is cancelled.
 * Same seed, same tree, whatever the concurrency, as long as the search itself asks in an order that does not depend on
 * who was quicker: `each` starts its items in order and gives its results in order.
 */
import type { Rng } from "../../base/index.ts";
import type { Env } from "../../env/index.ts";
import type { Agent } from "../mind/agent.ts";
import type { Task } from "../../trajectory/index.ts";
import type { CallNeed, CallUse } from "../pay.ts";
import type { Need, Purse } from "../purse.ts";
import type { QuestionKind } from "./asker.ts";
import type { SearchNode } from "./node.ts";
import type { Proposal } from "./proposal.ts";

export interface ProposeOptions {
  /** Answers to ask for. Default: 1. Each has a seed of its own, so that further ones differ. */
  readonly count?: number;
  /** Text for this decision only: what parents and siblings have taught. It is in the prompt of the proposals. */
  readonly guidance?: string;
}

export interface WalkOnOptions {
  /** Steps at most. Default: to the end. */
  readonly steps?: number;
  /** Marks the nodes as a Monte Carlo continuation: stored, but no children that selection looks at. */
  readonly simulated?: boolean;
  /** Text for the first decision. */
  readonly guidance?: string;
}

export interface EachOptions {
  /** What one item needs at most. Default: one whole episode. Items wait until their need fits. */
  readonly need?: Need;
}

export interface AskOptions {
  /** Most tokens of the answer. Default: 256. */
  readonly answerTokens?: number;
  /** The same question with another number is drawn anew. Default: 0. */
  readonly sample?: number;
  /** Default: "critique". */
  readonly kind?: QuestionKind;
}

export interface SearchScope {
  readonly env: Env;
  readonly agent: Agent;
  readonly task: Task;
  readonly root: SearchNode;
  /** Random numbers of the search itself; split it by labels. */
  readonly rng: Rng;
  readonly purse: Purse;
  readonly signal: AbortSignal;
  /** Whether the search may look at what the world says of ended episodes. */
  readonly seesOutcome: boolean;
  /** Whether a text model was given for `ask`. */
  readonly canAsk: boolean;
  /** Share of the budget that is left, from 1 to 0: the smallest over everything that is limited. 1 without limits. */
  left(): number;
  /** Asks the policy for actions, without carrying any out. Fewer, or none, when the budget ends. */
  propose(node: SearchNode, options?: ProposeOptions): Promise<readonly Proposal[]>;
  /** Carries out a proposal, or an action that the policy did not choose. Undefined when it cannot be paid or done. */
  take(node: SearchNode, what: Proposal | string): Promise<SearchNode | undefined>;
  /**
   * Proposes and carries out: one new child for each new action. Equal ones (`alike.ts`) are merged into a `copies` count,
   * also with children that are there already.
   */
  expand(node: SearchNode, options?: ProposeOptions): Promise<readonly SearchNode[]>;
  /** The policy goes on alone from a node, as an episode does; gives the last node. Undefined when no step could be paid. */
  walkOn(node: SearchNode, options?: WalkOnOptions): Promise<SearchNode | undefined>;
  /**
   * Sets `estimate` of those that have none: the world's outcome for ended ones, unless the search was told not to look at
   * it, and the value function's for the others. What cannot be had stays undefined.
   */
  evaluate(nodes: readonly SearchNode[]): Promise<void>;
  /** Asks the text model; undefined without one, when it cannot be paid, or when it fails. */
  ask(prompt: string, options?: AskOptions): Promise<string | undefined>;
  /** Makes a model call of one's own within the budget; see `payForCall`. */
  pay<Result>(
    need: CallNeed,
    work: (maxTokens: number, used: (use: CallUse) => void) => Promise<Result>,
  ): Promise<Result | undefined>;
  /** Every action that the world accepts at a node; undefined where it does not list them or cannot be had. */
  admissible(node: SearchNode): Promise<readonly string[] | undefined>;
  /** Whether an action at a node does what no later one takes back; also true where the world cannot be asked any more. */
  irreversible(node: SearchNode, action: string): Promise<boolean>;
  /** Replays the whole line from a fresh opening and compares every step; false, and the node dropped, when it differs. */
  verify(node: SearchNode): Promise<boolean>;
  /** Whether two actions mean the same, as the search was told to see it. */
  alike(left: string, right: string): Promise<boolean>;
  /** For each action the place of the first that means the same; its own when it is the first. */
  meanings(actions: readonly string[]): Promise<readonly number[]>;
  /**
   * The same scope, in which nothing is carried out that cannot be taken back (`Episode.irreversible`): not by `take`, not
   * by `walkOn`, which stops before it, and not by values that act.
   */
  safe(): SearchScope;
  /** Works on all items at the same time, each with a purse of its own; results in order. */
  each<Item, Result>(
    items: readonly Item[],
    work: (scope: SearchScope, item: Item, index: number) => Promise<Result>,
    options?: EachOptions,
  ): Promise<Result[]>;
}

/** What a node is worth before its end is known, from 0 (hopeless) to 1 (solved). */
export interface Value {
  /**
   * One number a node, in order; undefined where there is none (it cannot be paid, a judge that failed). Whatever it
   * spends it spends through the scope, so that budgets hold.
   */
  estimate(nodes: readonly SearchNode[], scope: SearchScope): Promise<readonly (number | undefined)[]>;
}

/** One search, ready to run. It answers with the node whose line it would act on. */
export interface Search {
  /** What unfinished episodes are valued by when the caller gives nothing. */
  readonly value?: Value;
  run(scope: SearchScope): Promise<SearchNode | undefined>;
}

export type SearchNeeds = "value" | "ask" | "tokens";
