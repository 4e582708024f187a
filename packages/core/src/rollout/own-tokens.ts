/** The tokens a walk sampled itself, step after step: the places where a branch may leave it. */
import { isOwnStep, payCall } from "./ask.ts";
import { throwIfAborted } from "limbeck-base/base/errors";
import type { Step } from "limbeck-base/trajectory/trajectory";
import type { Scope, Walk } from "./strategy.ts";

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

/** Says so many more tokens, over as many steps as that takes; the last answer may be left unfinished. */
export async function sayTokens(walk: Walk, tokens: number): Promise<void> {
  for (let left = tokens; left > 0 && walk.ending === undefined;) {
    const before = walk.said;
    const isComplete = await walk.speak(left);
    left -= walk.said - before;
    if (isComplete && walk.ending === undefined) await walk.step();
  }
}

/** Sum of the log-probabilities of a walk's sampled tokens, an unfinished answer included. */
export function saidLogprob(walk: Walk): number {
  let total = 0;
  for (const { mask, logprobs = new Float32Array() } of walk.trajectory().streams) {
    for (let at = 0; at < logprobs.length; at += 1) if (mask[at] === 1) total += logprobs[at] as number;
  }
  return total;
}

// One step of several walks, with how unsure the policy was of each token. Exact entropies where the policy scores
// tokens, one scoring for all walks; else what it drew: the mean of -ln p(token) over draws is the entropy.

export interface Observed {
  readonly walk: Walk;
  /** Undefined when the walk ended without a further step. */
  readonly step: Step | undefined;
  /** In nats, one for each own token of the step's answer. */
  readonly doubts: Float32Array;
}

export async function observedRound(scope: Scope, walks: readonly Walk[]): Promise<Observed[]> {
  const { agent } = scope;
  const isExact = agent.scorer?.statistics.includes("entropy") === true && agent.exact;
  if (isExact) await scope.together(walks, (walk) => walk.speak(agent.answerTokens));
  const entropies = isExact ? await entropiesInHand(scope, walks) : [];
  const steps = await scope.together(walks, (walk) => walk.step());
  return walks.map((walk, at) => {
    const step = steps[at];
    const { logprobs = new Float32Array() } = (step === undefined ? undefined : walk.answer(step.index)) ?? {};
    const known = entropies[at];
    // What stands in the parent's answer is the parent's.
    const doubts =
      known === undefined
        ? logprobs.map((logprob) => -logprob)
        : known.slice(Math.max(0, known.length - logprobs.length));
    return { walk, step, doubts };
  });
}

/** Entropies of the answers in hand; none where the scoring failed or cannot be paid. */
async function entropiesInHand(
  { agent, purse, signal }: Scope,
  walks: readonly Walk[],
): Promise<(Float32Array | undefined)[]> {
  const asked = walks.flatMap((walk, at) => (walk.ending === undefined && walk.said > 0 ? [{ walk, at }] : []));
  if (asked.length === 0 || agent.scorer === undefined) return [];
  if (!payCall(purse)) return [];
  const rows = asked.map(({ walk }) => {
    const ids = walk.context();
    return { ids, mask: new Uint8Array(ids.length).fill(1, ids.length - walk.said) };
  });
  const found: (Float32Array | undefined)[] = [];
  try {
    const scores = await agent.scorer.score(rows, { statistics: ["entropy"], signal });
    for (const [place, { at, walk }] of asked.entries()) found[at] = scores[place]?.entropy?.slice(-walk.said);
  } catch {
    // Without entropies nothing is found at these steps.
    throwIfAborted(signal);
  }
  return found;
}

// Names of branches: 1, 2, 3, … below each walk.

export function createLabels(): (walk: Walk) => number {
  const counts = new Map<string, number>();
  return ({ id }) => {
    const next = (counts.get(id) ?? 0) + 1;
    counts.set(id, next);
    return next;
  };
}
