/** What one search over one task is given. */
import { may } from "../../base/options.ts";
import type { Env } from "../../env/index.ts";
import type { Sink } from "../line/roll-out.ts";
import type { Agent } from "../mind/agent.ts";
import type { Task } from "../../trajectory/index.ts";
import type { AlikeOptions } from "./alike.ts";
import type { Asker } from "./asker.ts";
import type { Budget, TokenPrices } from "../purse.ts";
import type { SearchNode } from "./node.ts";
import type { Search, SearchNeeds, Value } from "./search.ts";

export const RUN_SEARCH_CHECKS = {
  seed: may.seed,
  concurrency: may.count,
  attempts: may.count,
  steps: may.count,
  policySeconds: may.positive,
  envSeconds: may.positive,
} as const;

export interface RunSearchOptions {
  readonly env: Env;
  readonly agent: Agent;
  readonly task: Task;
  readonly search: Search & { readonly name?: string; readonly needs?: readonly SearchNeeds[] };
  readonly seed: number | string;
  readonly budget?: Budget;
  readonly prices?: TokenPrices;
  readonly value?: Value;
  readonly asker?: Asker;
  /**
   * Whether the search sees how the world scored an episode that has ended. Default: true. Where a real agent would
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
   * Worlds and minds kept at a time; Default: 1,024 and 256, 4,096 minds of agents without tokens, which take little
   * room. Others are made again when they are needed.
   */
  readonly keep?: { readonly worlds?: number; readonly minds?: number };
  readonly concurrency?: number;
  /** Attempts at a step of a failing world, the first included. Default: 3. */
  readonly attempts?: number;
  readonly steps?: number;
  /** Actions that were taken already, by whomever: the search begins after them. They are carried out, and paid, again. */
  readonly after?: readonly string[];
  readonly policySeconds?: number;
  readonly envSeconds?: number;
  /** Stands before the name of the group. */
  readonly prefix?: string;
  readonly sink?: Sink;
  /** Whether the result holds the trajectories. Default: true. A very large tree needs half the memory without. */
  readonly collect?: boolean;
  readonly signal?: AbortSignal;
  readonly onNode?: (node: SearchNode) => void;
  readonly now?: () => number;
  readonly date?: () => string;
}
