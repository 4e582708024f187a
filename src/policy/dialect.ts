/**
 * How a token policy is spoken to: text of the world in, exact tokens out. An append-only conversation is an opening,
 * then answers and turns one after the other; nothing that was said is ever tokenised again.
 */
export interface Dialect {
  /** Tokens of the first message, up to the point where the policy answers. */
  opening(text: string, system?: string): Int32Array;
  /**
   * Tokens of a later message, up to the point where the policy answers again. `cut` says that the answer before it
   * has no end of turn of its own (its budget ran out), so that the turn has to close it.
   */
  turn(text: string, options?: { readonly cut?: boolean }): Int32Array;
  /** What ends an answer. */
  readonly stop: readonly Int32Array[];
  /** What the policy said, without the end of its turn. */
  answer(ids: ArrayLike<number>): string;
  /** An answer as the policy would write it, end of turn included; for allowed sets and for cloning. */
  reply(text: string): Int32Array;
}

/** Whether an answer ends by itself; one that was cut has to be closed by the next message. */
export function endsItself(answer: Int32Array, { stop }: Dialect): boolean {
  return stop.some(
    (ending) => ending.length <= answer.length && ending.every((id, at) => answer.at(at - ending.length) === id),
  );
}
