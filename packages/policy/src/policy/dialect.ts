/**
 * How a token policy is prompted: text of the world in, exact tokens out. An append-only conversation is an opening,
 * then answers and turns one after the other; nothing is ever tokenised again.
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
  /** The response, without the end of its turn. */
  answer(ids: ArrayLike<number>): string;
  /** An answer as the policy would write it, end of turn included; for allowed sets and for cloning. */
  reply(text: string): Int32Array;
  /** Whether an answer that was stopped also ends its turn. Default: whatever stops it does. */
  closes?(answer: Int32Array): boolean;
  /** The same dialect with other ways to answer. Missing: it has no others. */
  spoken?(options: SpokenOptions): Dialect;
}

/** Ways to answer that a chat template and a tokenizer can offer. */
export interface SpokenOptions {
  /** Whether the template lets the model think first. Default: what the template does by itself. */
  readonly thinking?: boolean;
  /** Texts that end an answer, beside the end of the turn; they are no part of it. Default: none. */
  readonly stop?: readonly string[];
}

/** Whether an answer ends its turn by itself; one that does not has to be closed by the next message. */
export function endsItself(answer: Int32Array, dialect: Dialect): boolean {
  return wasStopped(answer, dialect) && dialect.closes?.(answer) !== false;
}

/** Whether something that ends answers ended this one; otherwise it was cut. */
export function wasStopped(answer: Int32Array, { stop }: Pick<Dialect, "stop">): boolean {
  return stop.some(
    (ending) => ending.length <= answer.length && ending.every((id, at) => answer.at(at - ending.length) === id),
  );
}
