/** The loss of pairs under two policies whose every probability is known. */
import type { Scorer } from "../../packages/policy/src/policy/policy.ts";
import type { TrainRow } from "../../packages/policy/src/policy/objective.ts";
import { objectives } from "../../packages/core/src/objective/registry.ts";

export async function dpoLoss(
  rows: readonly TrainRow[],
  { live, reference }: { readonly live: Scorer; readonly reference: Scorer },
): Promise<{ readonly loss: number; readonly slopes: readonly (readonly number[])[] }> {
  const asked = rows.map(({ ids, mask }) => ({ ids, mask }));
  const [now, before] = [await live.score(asked), await reference.score(asked)];
  const whole = rows.map((row, at) => ({ ...row, referenceLogprobs: Float64Array.from(before[at]?.logprob ?? []) }));
  const logprob = now.map((one) => Float64Array.from(one.logprob ?? []));
  const objective = objectives.dpo.create({ level: "trajectory" });
  const { loss, weights } = objective.compute({ logprob }, { logprob }, whole);
  return { loss, slopes: (weights.logprob ?? []).map((row) => [...row]) };
}
