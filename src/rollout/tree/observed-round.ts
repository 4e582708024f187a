/**
 * One step of several walks, with how unsure the policy was of each token. Exact entropies where the policy scores
 * tokens, one scoring for all walks; else what it drew: the mean of -ln p(token) over draws is the entropy.
 */
import { throwIfAborted } from "../../base/index.ts";
import type { Step } from "../../trajectory/index.ts";
import type { Scope } from "../strategy.ts";
import type { Walk } from "../../walk/line/walk.ts";

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
  const paid = purse.reserve("modelCalls", 1);
  purse.settle("modelCalls", paid, paid);
  if (paid < 1) return [];
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
