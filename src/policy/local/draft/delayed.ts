/**
 * A tree that branches late (Delayed Tree Expansion): the draft model goes down one way as long as it is sure, and only where
 * it is not does the tree branch. Branching at the root spends most nodes on ways that the first token already rules out.
 */
import type { Expand } from "./guesser.ts";
import type { DraftTreeKind } from "./kinds.ts";

export interface Delay {
  /** How many tokens are guessed before the tree branches; "unsure": up to the first that the draft model gives less than `sure`. Default: "unsure". */
  readonly tokens?: number | "unsure";
  /** Default: 0.7. */
  readonly sure?: number;
  /** Ways that go on from there. Default: 3. */
  readonly branches?: number;
}

function delayedExpansion({ tokens = "unsure", sure = 0.7, branches = 3 }: Delay = {}): Expand {
  return (sprout, nodes) => {
    const [first] = nodes;
    if (first === undefined || sprout.branched) return nodes.slice(0, 1);
    const now = tokens === "unsure" ? first.trust < sure : sprout.depth >= tokens;
    return now ? nodes.slice(0, branches) : [first];
  };
}

/** What the tree of a guesser grows by. */
export function expansionOf(kind: DraftTreeKind, delay: Delay | undefined): Expand {
  return kind === "chain" || kind === "parallel" ? (_, nodes) => nodes.slice(0, 1) : delayedExpansion(delay);
}
