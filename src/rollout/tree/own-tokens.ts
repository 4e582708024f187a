/** The tokens a walk has said itself, step after step: the places where a branch may leave it. */
import { isOwnStep } from "../ask.ts";
import type { Walk } from "../../walk/line/walk.ts";

export interface OwnToken {
  readonly step: number;
  /** Place in the walk's own part of the answer. */
  readonly token: number;
  readonly id: number;
  readonly logprob: number;
  /** The last of its answer, which ends it. */
  readonly last: boolean;
}

/** Of all steps that were carried out and that the policy chose. */
export function ownTokens(walk: Walk): OwnToken[] {
  return walk.steps.flatMap(({ index, info }) => {
    if (!isOwnStep(walk, index) || info?.["source"] !== undefined) return [];
    const { ids = new Int32Array(), logprobs = new Float32Array() } = walk.answer(index) ?? {};
    return Array.from(ids, (id, token) => ({
      step: index,
      token,
      id,
      logprob: logprobs[token] as number,
      last: token === ids.length - 1,
    }));
  });
}

/** Whether a walk was born at this place: a branch from there would only repeat it. */
export function isBirthplace({ parent }: Walk, { step, token }: OwnToken): boolean {
  return parent !== undefined && step === parent.step && token === 0;
}

/** A place as a branch point: nothing of the answer is kept at its beginning. */
export function pointAt({ step, token }: { readonly step: number; readonly token: number }): {
  readonly step: number;
  readonly token?: number;
} {
  return token === 0 ? { step } : { step, token };
}

/** Sum of the log-probabilities of everything a walk has said so far, an unfinished answer included. */
export function saidLogprob(walk: Walk): number {
  let total = 0;
  for (const { mask, logprobs = new Float32Array() } of walk.trajectory().streams) {
    for (let at = 0; at < logprobs.length; at += 1) if (mask[at] === 1) total += logprobs[at] as number;
  }
  return total;
}
