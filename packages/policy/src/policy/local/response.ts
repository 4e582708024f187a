/** One response while it is being drawn: its tokens, their probabilities, its stop sequences and its allowed set. */
import { EngineError } from "limbeck-base/base/errors";
import { COLDEST, type Sampled, type SampleOptions } from "../policy.ts";

export interface Response {
  /** Draws the next token; says how the response ended, if it did. */
  take(prediction: Prediction, uniform: number): Sampled["ending"] | undefined;
  /** What would be drawn from another model's prediction, at that place of the allowed set. */
  guess(prediction: Prediction, uniform: number, place: TrieNode | undefined): Drawn;
  last(): number;
  /** How many tokens there is room for yet. */
  left(): number;
  /** Whether `next` after `way` would end it: what follows belongs to no response. */
  ends(way: readonly number[], next: number): boolean;
  /** Where it stands in its allowed set, if it has one. */
  place(): TrieNode | undefined;
  finish(version: number, ending: Sampled["ending"]): Sampled;
}

export function createResponse(options: SampleOptions): Response {
  const { maxTokens, temperature = 1, topK, topP, minP, stop = [] } = options;
  const ids: number[] = [];
  const logprobs: number[] = [];
  const sampledLogprobs: number[] = [];
  const offsets: number[] = [0];
  const allowedIds: number[] = [];
  let node: TrieNode | undefined = options.allowed === undefined ? undefined : startOf(options.allowed);
  return {
    take: (prediction, uniform) => {
      const first = prediction.logprobs[0];
      if (Number.isNaN(first)) {
        throw new EngineError(
          "bad-logits",
          `The model's output is not finite (first log-probability: ${first}); its weights are broken.`,
        );
      }
      const drawn = draw(prediction, { temperature, topK, topP, minP, allowed: node?.ids }, uniform);
      ids.push(drawn.id);
      logprobs.push(drawn.logprob);
      sampledLogprobs.push(drawn.sampledLogprob);
      if (node !== undefined) {
        allowedIds.push(...node.ids);
        node = node.next.get(drawn.id) as TrieNode;
      }
      offsets.push(allowedIds.length);
      // A sequence that is the beginning of a longer one ends at its stop sequence or with the longest; see `startOf`.
      if (node !== undefined && node.ids.length === 0) return "stop";
      if (stop.some((sequence) => endsWith(ids, sequence))) return "stop";
      return ids.length >= maxTokens ? "length" : undefined;
    },
    guess: (prediction, uniform, place) =>
      draw(prediction, { temperature, topK, topP, minP, allowed: place?.ids }, uniform),
    last: () => ids.at(-1) as number,
    left: () => maxTokens - ids.length,
    ends: (way, next) => stop.some((sequence) => wouldEnd(ids, way, next, sequence)),
    place: () => node,
    finish: (version, ending) => ({
      ids: Int32Array.from(ids),
      logprobs: Float32Array.from(logprobs),
      sampledLogprobs: Float32Array.from(sampledLogprobs),
      ...(options.allowed === undefined
        ? {}
        : { allowed: { offsets: Int32Array.from(offsets), ids: Int32Array.from(allowedIds) } }),
      version,
      ending,
    }),
  };
}

/** Says nothing: its log-probabilities are those of every token that could come next. */
export function createPeek(): Response {
  let seen = new Float32Array();
  return {
    take: ({ logprobs }) => {
      seen = logprobs.slice();
      return "length";
    },
    guess: (prediction, uniform) => draw(prediction, { temperature: 1 }, uniform),
    last: () => 0,
    left: () => 1,
    ends: () => true,
    place: () => undefined,
    finish: (version, ending) => ({
      ids: new Int32Array(),
      logprobs: seen,
      sampledLogprobs: new Float32Array(),
      version,
      ending,
    }),
  };
}

function startOf(allowed: readonly ArrayLike<number>[]): TrieNode {
  const trie = createTrie(allowed);
  if (trie.ids.length === 0) {
    throw new EngineError(
      "empty-allowed",
      "The allowed set holds no token sequence; give at least one, or leave it out.",
    );
  }
  const inner = innerEnd(trie);
  if (inner !== undefined) {
    throw new EngineError(
      "ambiguous-allowed",
      `An allowed sequence is the beginning of another (it ends before token ${inner}); add an end token to every sequence.`,
    );
  }
  return trie;
}

/** The first token that follows the end of a sequence, if any: there the response would not know whether to stop. */
function innerEnd(node: TrieNode): number | undefined {
  if (node.ends && node.ids.length > 0) return node.ids[0];
  for (const child of node.next.values()) {
    const found = innerEnd(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether the first `end` of these ids end with the sequence; no empty one ends anything. */
export function endsWith(ids: ArrayLike<number>, sequence: ArrayLike<number>, end = ids.length): boolean {
  const { length } = sequence;
  if (length === 0 || length > end) return false;
  for (let at = 1; at <= length; at += 1) if (ids[end - at] !== sequence[length - at]) return false;
  return true;
}

/** As `endsWith`, of the ids, the way and the next one after it. */
function wouldEnd(ids: readonly number[], way: readonly number[], next: number, sequence: ArrayLike<number>): boolean {
  const { length } = sequence;
  if (length === 0 || sequence[length - 1] !== next) return false;
  return length === 1 || endsWith([...ids.slice(-length), ...way, next], sequence);
}

// Drawing a token from a prediction, with the exact log-probability of what was drawn under both distributions: the policy's
// own, and the one after temperature, allowed set, top-k, top-p and min-p, in this order.

interface DrawOptions {
  /** Below `COLDEST` the most likely token is taken; its probability under the sampling distribution is then 1. */
  readonly temperature: number;
  readonly topK?: number | undefined;
  readonly topP?: number | undefined;
  readonly minP?: number | undefined;
  /** Token ids that may be drawn. Default: all. */
  readonly allowed?: ArrayLike<number> | undefined;
}

export interface Drawn {
  readonly id: number;
  readonly logprob: number;
  readonly sampledLogprob: number;
}

/** What a model says of the next token. */
export interface Prediction {
  readonly logprobs: Float32Array;
  /** After temperature; not used where the temperature is 0. */
  readonly probabilities: Float32Array;
  /** The hidden state behind it, where requested. The next pass overwrites it. */
  readonly state?: Float32Array;
}

/** `uniform` is one draw in [0, 1). Ties keep the order of ids, so that equal probabilities give equal results. */
export function draw({ logprobs, probabilities }: Prediction, options: DrawOptions, uniform: number): Drawn {
  const { allowed, temperature } = options;
  if (temperature < COLDEST) {
    const id = best(logprobs, allowed);
    checkPossible(logprobs[id] as number);
    return { id, logprob: logprobs[id] as number, sampledLogprob: 0 };
  }
  if (allowed === undefined && options.topK === undefined && options.topP === undefined && options.minP === undefined) {
    const id = drawPlain(probabilities, uniform);
    return { id, logprob: logprobs[id] as number, sampledLogprob: Math.log(probabilities[id] as number) };
  }
  const kept = restrict(logprobs, options);
  const weights = kept.map(({ weight }) => weight);
  const sum = weights.reduce((left, right) => left + right, 0);
  const { id, weight } = kept[pickIndex(weights, uniform * sum)] as Candidate;
  return { id, logprob: logprobs[id] as number, sampledLogprob: Math.log(weight / sum) };
}

interface Candidate {
  readonly id: number;
  /** exp((logprob - largest) / temperature) */
  readonly weight: number;
}

/** Rounding may leave a little beyond the last probability; it belongs to the last token that has any. */
function drawPlain(probabilities: Float32Array, uniform: number): number {
  let left = uniform;
  let last = 0;
  for (let id = 0; id < probabilities.length; id += 1) {
    const probability = probabilities[id] as number;
    if (probability === 0) continue;
    left -= probability;
    if (left < 0) return id;
    last = id;
  }
  return last;
}

function restrict(logprobs: Float32Array, options: DrawOptions): Candidate[] {
  const { temperature, topK, topP, minP } = options;
  const ids = options.allowed === undefined ? Array.from(logprobs.keys()) : Array.from(options.allowed);
  const largest = logprobs[best(logprobs, ids)] as number;
  checkPossible(largest);
  let kept = ids.map((id) => ({ id, weight: Math.exp(((logprobs[id] as number) - largest) / temperature) }));
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

function best(logprobs: Float32Array, ids: ArrayLike<number> | undefined): number {
  const count = ids?.length ?? logprobs.length;
  let found = ids?.[0] ?? 0;
  for (let index = 1; index < count; index += 1) {
    const id = ids?.[index] ?? index;
    if ((logprobs[id] as number) > (logprobs[found] as number)) found = id;
  }
  return found;
}

/** A policy with zeros in its distribution may not be able to say any of what it is confined to. */
function checkPossible(largest: number): void {
  if (largest > -Infinity) return;
  throw new EngineError(
    "impossible-allowed",
    "The policy gives none of the allowed tokens any probability; allow what it can say, or leave `allowed` out.",
  );
}

// A trie of token sequences: which tokens may come next, so that a response is one of the given ones.

export interface TrieNode {
  readonly next: ReadonlyMap<number, TrieNode>;
  /** Tokens that may come next, sorted. */
  readonly ids: Int32Array;
  /** A sequence ends here; it may still be the beginning of a longer one. */
  readonly ends: boolean;
}

interface Growing {
  readonly next: Map<number, Growing>;
  ends: boolean;
}

function createTrie(sequences: readonly ArrayLike<number>[]): TrieNode {
  const root: Growing = { next: new Map(), ends: false };
  for (const sequence of sequences) {
    let node = root;
    for (let index = 0; index < sequence.length; index += 1) {
      const id = sequence[index] as number;
      const child = node.next.get(id) ?? { next: new Map(), ends: false };
      node.next.set(id, child);
      node = child;
    }
    node.ends = true;
  }
  return freeze(root);
}

function freeze(node: Growing): TrieNode {
  const next = new Map([...node.next].map(([id, child]) => [id, freeze(child)]));
  return { next, ids: Int32Array.from(next.keys()).sort(), ends: node.ends };
}
