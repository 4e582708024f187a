/** What all scopes of one search share. */
import type { PlainError } from "../../base/index.ts";
import type { Env } from "../../env/index.ts";
import type { Agent } from "../mind/agent.ts";
import type { Task } from "../../trajectory/index.ts";
import type { Alike } from "./alike.ts";
import type { Asker } from "./asker.ts";
import type { Prices, Purse } from "../purse.ts";
import type { Calls } from "../calls.ts";
import type { Minds } from "./minds.ts";
import type { SearchNode } from "./node.ts";
import type { TokenTape } from "./token-tape.ts";
import type { Value } from "./search.ts";
import type { Worlds } from "./worlds.ts";

export interface SearchCounts {
  /** Nodes of the tree, simulated ones included, without the root. */
  nodes: number;
  /** Proposals that meant the same as another one and were not carried out again. */
  merged: number;
  /** Nodes that a replay did not lead to again. */
  dropped: number;
  /** Calls of the policy, the world or a text model that failed. */
  failed: number;
  /** Answers of the policy and replies of the world that were remembered instead of asked for. */
  remembered: number;
  /** Actions carried out, in any copy of the world, that no later action takes back. */
  irreversible: number;
}

export interface Session {
  readonly env: Env;
  readonly agent: Agent;
  readonly task: Task;
  readonly seed: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Attempts at a world that fails, the first included. */
  readonly attempts: number;
  readonly purse: Purse;
  readonly prices: Prices;
  readonly calls: Calls;
  readonly worlds: Worlds;
  readonly minds: Minds;
  readonly alike: Alike;
  readonly asker: Asker | undefined;
  readonly value: Value | undefined;
  /** Whether ended episodes are valued by what the world says. */
  readonly seesOutcome: boolean;
  readonly memory: Memory;
  readonly counts: SearchCounts;
  /** The first failures, to say why a search found nothing. */
  readonly failures: PlainError[];
  readonly root: SearchNode;
  readonly tape: TokenTape;
  readonly rounds: Rounds;
  /** Nothing is carried out that cannot be taken back. */
  readonly guarded: boolean;
  readonly onNode: ((node: SearchNode) => void) | undefined;
}

/** Answers and replies that are remembered, where the caller allows it. */
export interface Memory {
  /** Answers of the policy by state and number. */
  readonly answers: Map<string, string> | undefined;
  /** Nodes by depth, state and action: what the world replied there it replies again. */
  readonly replies: Map<string, SearchNode> | undefined;
}

/** Work at the outermost level; what is kept for nodes is let go between two pieces of it. */
export interface Rounds {
  during<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createRounds(between: () => void): Rounds {
  let inside = 0;
  return {
    during: async (work) => {
      inside += 1;
      try {
        return await work();
      } finally {
        inside -= 1;
        if (inside === 0) between();
      }
    },
  };
}
