/** One response while it is being drawn: its tokens, their probabilities, its stop sequences and its allowed set. */
import { EngineError } from "../../base/errors.ts";
import type { Sampled, SampleOptions } from "../policy.ts";
import { draw, type Drawn, type Prediction } from "./draw.ts";
import { createTrie, type TrieNode } from "./trie.ts";

export interface Response {
  /** Draws the next token; says how the response ended, if it did. */
  take(prediction: Prediction, uniform: number): Sampled["ending"] | undefined;
  /** What would be drawn from another model's prediction, at that place of the allowed set. */
  guess(prediction: Prediction, uniform: number, place: TrieNode | undefined): Drawn;
  last(): number;
  /** How many tokens there is room for yet. */
  left(): number;
  /** Whether it would be over with `next` once it had said `way`: what follows then is not said here. */
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
