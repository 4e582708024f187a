/** Room for a skill: history is given up in whole steps, oldest first; the header and the present step stay. */
import { joined } from "../base/joined.ts";

export interface Fitted {
  readonly ids: Int32Array;
  /** How many steps of history were given up. */
  readonly dropped: number;
}

/** Undefined where header and tail alone are too long. */
export function fitTokens(
  header: Int32Array,
  history: readonly Int32Array[],
  tail: Int32Array,
  maxTokens = Number.POSITIVE_INFINITY,
): Fitted | undefined {
  let length = header.length + tail.length + history.reduce((sum, step) => sum + step.length, 0);
  let dropped = 0;
  while (length > maxTokens && dropped < history.length) {
    length -= (history[dropped] as Int32Array).length;
    dropped += 1;
  }
  return length > maxTokens
    ? undefined
    : { ids: joined(Int32Array, [header, ...history.slice(dropped), tail]), dropped };
}

/**
 * Takes the oldest step out of a prompt that shows its history as text. `start` matches where a step's block begins and
 * where the present begins, `/^(?:Step \d+|Now)$/m` for example; what stands before the first match is the header.
 * Undefined when only the present is left.
 */
export function dropOldestStep(prompt: string, start: RegExp): string | undefined {
  const every = new RegExp(start.source, start.flags.includes("g") ? start.flags : `${start.flags}g`);
  const [oldest, next] = [...prompt.matchAll(every)].map((match) => match.index);
  if (oldest === undefined || next === undefined) return undefined;
  return prompt.slice(0, oldest) + prompt.slice(next);
}
