/** OTR's rollouts of one token: at each trained position, words drawn from the policy itself. */
import { EngineError } from "limbeck-base/base/errors";
import type { Rng } from "limbeck-base/base/rng";
import { COLDEST } from "limbeck-policy/policy/policy";

export interface OneTokenOptions {
  /** Draws at each position. */
  readonly count: number;
  /** Above 1 the draws are bolder than the policy. */
  readonly temperature: number;
  /** Adds the recorded token to the draws, so that every position has a right one among them. */
  readonly addGold: boolean;
}

/**
 * Candidates of a row, flat, `count` per token (one more with `addGold`), drawn with repetition. `logprobs` is the
 * policy's distribution at temperature 1, flat, one vocabulary per token; positions with mask 0 are left at id 0.
 */
export function drawOneTokens(
  row: { readonly ids: Int32Array; readonly mask: Uint8Array },
  logprobs: Float32Array,
  { count, temperature, addGold }: OneTokenOptions,
  rng: Rng,
): { readonly count: number; readonly ids: Int32Array } {
  if (!(temperature >= COLDEST)) {
    throw new EngineError(
      "bad-option",
      `The temperature of one-token rollouts is ${temperature}; give one of at least ${COLDEST}.`,
    );
  }
  const { ids, mask } = row;
  const vocabulary = logprobs.length / ids.length;
  const width = count + Number(addGold);
  const drawn = new Int32Array(ids.length * width);
  const sums = new Float64Array(vocabulary);
  for (let token = 1; token < ids.length; token += 1) {
    if (mask[token] !== 1) continue;
    addUp(logprobs.subarray(token * vocabulary, (token + 1) * vocabulary), temperature, sums);
    for (let draw = 0; draw < count; draw += 1) drawn[token * width + draw] = placeOf(sums, rng.float());
    if (addGold) drawn[token * width + count] = ids[token] as number;
  }
  return { count: width, ids: drawn };
}

/** Running sums of exp(log p / temperature), not scaled. */
function addUp(logprobs: Float32Array, temperature: number, sums: Float64Array): void {
  let most = Number.NEGATIVE_INFINITY;
  for (const logprob of logprobs) most = Math.max(most, logprob);
  let sum = 0;
  for (let id = 0; id < sums.length; id += 1) {
    sum += Math.exp(((logprobs[id] as number) - most) / temperature);
    sums[id] = sum;
  }
}

/** The first id whose running sum lies above the share `at` of the whole. */
function placeOf(sums: Float64Array, at: number): number {
  const wanted = at * (sums.at(-1) as number);
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] as number) > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
