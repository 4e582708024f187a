/** What a node of a search tree recorded since its parent. */
import type { TokenStream } from "../../trajectory/index.ts";

export interface Piece {
  /** Tokens of the context before the first of these. Fewer than the parent's context has when a message was written anew. */
  readonly shared: number;
  /** The first goes on in the context in hand, each further one opens a context of its own. */
  readonly streams: readonly TokenStream[];
  /** Tokens of each stream. */
  readonly lengths: readonly number[];
}
