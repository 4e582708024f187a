/**
 * Drawing a token from logits, with the exact log-probability of what was drawn under both distributions: the policy's
 * own, and the one after temperature, allowed set, top-k, top-p and min-p, in this order.
 */

export interface DrawOptions {
  /** 0 takes the most likely token; its probability under the sampling distribution is then 1. */
  readonly temperature: number;
  readonly topK?: number | undefined;
  readonly topP?: number | undefined;
  readonly minP?: number | undefined;
  /** Token ids that may be drawn; all unless given. */
  readonly allowed?: ArrayLike<number> | undefined;
}

export interface Drawn {
  readonly id: number;
  readonly logprob: number;
  readonly sampledLogprob: number;
}

/** `uniform` is one draw in [0, 1). Ties keep the order of ids, so that equal logits give equal results. */
export function draw(logits: Float32Array, options: DrawOptions, uniform: number): Drawn {
  const total = logSumExp(logits, 1);
  const { allowed, temperature } = options;
  if (temperature === 0) {
    const id = best(logits, allowed);
    return { id, logprob: (logits[id] as number) - total, sampledLogprob: 0 };
  }
  if (allowed === undefined && options.topK === undefined && options.topP === undefined && options.minP === undefined) {
    return drawPlain(logits, temperature, uniform, total);
  }
  const kept = restrict(logits, options);
  const weights = kept.map(({ weight }) => weight);
  const sum = weights.reduce((left, right) => left + right, 0);
  const { id, weight } = kept[pickIndex(weights, uniform * sum)] as Candidate;
  return { id, logprob: (logits[id] as number) - total, sampledLogprob: Math.log(weight / sum) };
}

interface Candidate {
  readonly id: number;
  /** exp((logit - largest) / temperature) */
  readonly weight: number;
}

function drawPlain(logits: Float32Array, temperature: number, uniform: number, total: number): Drawn {
  const sampledTotal = temperature === 1 ? total : logSumExp(logits, temperature);
  let left = uniform;
  let id = logits.length - 1;
  for (let index = 0; index < logits.length; index += 1) {
    left -= Math.exp((logits[index] as number) / temperature - sampledTotal);
    if (left < 0) {
      id = index;
      break;
    }
  }
  const logit = logits[id] as number;
  return { id, logprob: logit - total, sampledLogprob: logit / temperature - sampledTotal };
}

function restrict(logits: Float32Array, options: DrawOptions): Candidate[] {
  const { temperature, topK, topP, minP } = options;
  const ids = options.allowed === undefined ? Array.from(logits.keys()) : Array.from(options.allowed);
  const largest = logits[best(logits, ids)] as number;
  let kept = ids.map((id) => ({ id, weight: Math.exp(((logits[id] as number) - largest) / temperature) }));
  if (topK !== undefined || topP !== undefined)
    kept.sort((left, right) => right.weight - left.weight || left.id - right.id);
  if (topK !== undefined) kept = kept.slice(0, topK);
  if (topP !== undefined) kept = nucleus(kept, topP);
  // The largest weight is 1, so a share of the largest probability is a share of 1.
  if (minP !== undefined) kept = kept.filter(({ weight }) => weight >= minP);
  return kept;
}

/** The fewest most likely candidates whose probabilities reach the share; always at least one. */
function nucleus(sorted: readonly Candidate[], share: number): Candidate[] {
  const sum = sorted.reduce((total, { weight }) => total + weight, 0);
  let reached = 0;
  const count = sorted.findIndex(({ weight }) => {
    reached += weight;
    return reached >= share * sum;
  });
  return sorted.slice(0, count < 0 ? sorted.length : count + 1);
}

function pickIndex(weights: readonly number[], target: number): number {
  let left = target;
  const index = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return index < 0 ? weights.length - 1 : index;
}

function best(logits: Float32Array, ids: ArrayLike<number> | undefined): number {
  const count = ids?.length ?? logits.length;
  let found = ids?.[0] ?? 0;
  for (let index = 1; index < count; index += 1) {
    const id = ids?.[index] ?? index;
    if ((logits[id] as number) > (logits[found] as number)) found = id;
  }
  return found;
}

/** log sum exp(x / temperature), shifted by the largest so that nothing overflows. */
export function logSumExp(logits: Float32Array, temperature: number): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (const logit of logits) if (logit > largest) largest = logit;
  let sum = 0;
  for (const logit of logits) sum += Math.exp((logit - largest) / temperature);
  return largest / temperature + Math.log(sum);
}
