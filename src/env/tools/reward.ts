/**
 * The reward: 1 when the final state is the reference's and every required output was given to the customer, else 0.
 *
 * The partial form, for denser learning: 0.5 state + 0.25 share of outputs given + 0.25 when no rule was broken.
 */
export interface RewardParts {
  readonly state: 0 | 1;
  /** Share of the required outputs; 1 when none is required. */
  readonly outputs: number;
  readonly policy: 0 | 1;
}

export const REWARD_FORMS = {
  exact: ({ state, outputs }: RewardParts): number => (state === 1 && outputs === 1 ? 1 : 0),
  partial: ({ state, outputs, policy }: RewardParts): number => 0.5 * state + 0.25 * outputs + 0.25 * policy,
} as const;

export type RewardForm = keyof typeof REWARD_FORMS;

/**
 * Whether a message says an output. Numbers are compared by value, so "24.5" and "$24.50" say 24.50 but "124.50" does
 * not; commas inside numbers are dropped. Other outputs must occur as whole words, in any case.
 */
export function says(message: string, output: string): boolean {
  const wanted = output.trim().toLowerCase();
  if (/^-?\d+(?:\.\d+)?$/.test(wanted)) {
    const numbers = message.replaceAll(/(?<=\d),(?=\d{3})/g, "").match(/\d+(?:\.\d+)?/g) ?? [];
    return numbers.some((text) => Number(text) === Math.abs(Number(wanted)));
  }
  const text = message.toLowerCase();
  const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character);
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (!isWord(text[at - 1]) && !isWord(text[at + wanted.length])) return true;
  }
  return false;
}

/** The outputs given so far, as bits; outputs are at most 20. */
export function saidOutputs(message: string, outputs: readonly string[], said: number): number {
  return outputs.reduce((bits, output, index) => (says(message, output) ? bits | (1 << index) : bits), said);
}

export function outputShare(outputs: readonly string[], said: number): number {
  if (outputs.length === 0) return 1;
  return outputs.filter((_, index) => (said & (1 << index)) !== 0).length / outputs.length;
}
