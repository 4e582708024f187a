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
 * speed: `each` starts its items in order and gives its results in order.
 */ import { may } from "limbeck-base/base/options";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Decision } from "../mind/agent.ts";
import type { CallNeed, CallUse } from "../pay.ts";
import type { Need } from "../purse.ts";
import { WALK_CHECKS, type WalkOptions, type WalkScope } from "../scope.ts";
import type { AlikeOptions } from "./alike.ts";
import type { Asker, QuestionKind } from "./asker.ts";
import type { LiveMind } from "./kept.ts";
import type { SearchNode } from "./node.ts";

export interface ProposeOptions {
  /** Answers to ask for. Default: 1. Each has a seed of its own, so that further ones differ. */
  readonly count?: number;
  /** Text for this decision only: what parents and siblings have taught. It is in the prompt of the proposals. */
  readonly guidance?: string | undefined;
}

export interface WalkOnOptions {
  /** Steps at most. Default: to the end. */
  readonly steps?: number;
  /** Marks the nodes as a Monte Carlo continuation: stored, but no children that selection looks at. */
  readonly simulated?: boolean;
  /** Text for the first decision. */
  readonly guidance?: string | undefined;
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

export interface SearchScope extends WalkScope<SearchScope, EachOptions> {
  readonly task: Task;
  readonly root: SearchNode;
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
   * Sets `estimate` of those that have none: the world's outcome for ended ones, unless the search may not look at
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
  /** Whether two actions mean the same, by the options of the search. */
  alike(left: string, right: string): Promise<boolean>;
  /** For each action the place of the first that means the same; its own when it is the first. */
  meanings(actions: readonly string[]): Promise<readonly number[]>;
  /**
   * The same scope, in which nothing is carried out that cannot be taken back (`Episode.irreversible`): not by `take`, not
   * by `walkOn`, which stops before it, and not by values that act.
   */
  safe(): SearchScope;
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

// An action that the policy would take at a node, with the mind that proposed it.

export interface Proposal {
  readonly node: SearchNode;
  /** Its number among the answers asked for at this node; the seed follows from it. */
  readonly index: number;
  readonly action: string;
  /** Whether the answer could be read as an action. */
  readonly readable: boolean;
  /** Log-probability of the whole answer and its tokens, where the policy gives them. */
  readonly logprob: number | undefined;
  readonly said: number;
  readonly decision: Decision;
  /** Its source, when it was not the policy. */
  readonly source?: string;
  /** Not for searches: where the agent goes on from when it is carried out. */
  readonly live: LiveMind;
  readonly policyMs: number;
  readonly modelCalls: number;
  /** The context is full: nothing can be sampled after it. */
  readonly full: boolean;
}

/** For proposals that are not carried out: the mind that made it is let go. */
export function discard({ live }: Proposal): void {
  live.close();
}

// What one search over one task is given.

export const RUN_SEARCH_CHECKS = {
  ...WALK_CHECKS,
  steps: may.count,
  policySeconds: may.positive,
  envSeconds: may.positive,
} as const;

export interface RunSearchOptions extends WalkOptions {
  readonly task: Task;
  readonly search: Search & { readonly name?: string; readonly needs?: readonly SearchNeeds[] };
  readonly value?: Value;
  readonly asker?: Asker;
  /**
   * Whether the search sees how the world scored an episode that has ended. Default: true. Where a real agent would
   * not know it (a question with a hidden answer) that makes the world an oracle: set it to false for a fair figure.
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
   * Worlds and minds kept at a time; Default: 1,024 and 256, 4,096 minds of agents without tokens, which take little
   * room. Others are made again when they are needed.
   */
  readonly keep?: { readonly worlds?: number; readonly minds?: number };
  readonly steps?: number;
  /** Actions that were taken already, by whomever: the search begins after them. They are carried out, and paid, again. */
  readonly after?: readonly string[];
  readonly policySeconds?: number;
  readonly envSeconds?: number;
  readonly onNode?: (node: SearchNode) => void;
}
