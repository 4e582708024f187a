/** An action that the policy would take at a node, with the mind that said so. */
import type { Decision } from "../mind/agent.ts";
import type { LiveMind } from "./minds.ts";
import type { SearchNode } from "./node.ts";

export interface Proposal {
  readonly node: SearchNode;
  /** Its number among the answers asked for at this node; the seed follows from it. */
  readonly index: number;
  readonly action: string;
  /** Whether the answer could be read as an action. */
  readonly readable: boolean;
  /** Log-probability of the whole answer and its tokens, where the policy tells. */
  readonly logprob: number | undefined;
  readonly said: number;
  readonly decision: Decision;
  /** Who chose it, when it was not the policy. */
  readonly source?: string;
  /** Not for searches: where the agent goes on from when it is carried out. */
  readonly live: LiveMind;
  readonly policyMs: number;
  readonly modelCalls: number;
  /** The context is full: nothing can be said after it. */
  readonly full: boolean;
}

/** For proposals that are not carried out: the mind that made it is let go. */
export function discard({ live }: Proposal): void {
  live.close();
}
