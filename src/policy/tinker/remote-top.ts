/** The most likely tokens at every asked place, from a trainer's frozen weights. */
import { EngineError, mapLimit } from "../../base/index.ts";
import { emptyTop } from "../local/scorer.ts";
import type { ScoreRow, TopTokens, TopTokensOptions } from "../policy.ts";
import { pack, unpackFloats, unpackInts } from "./packed.ts";
import { askedLength, checkRows, fillFromPrompt, ONE_TOKEN, type RowLimits } from "./remote-scorer.ts";
import type { SamplingClient } from "./sampling-client.ts";

/** A server that announces candidates sends those of asked places only, packed; others send all, or none. */
export async function topByPrompt(
  samples: SamplingClient,
  limits: RowLimits & { readonly concurrency: number },
  rows: readonly ScoreRow[],
  { count, signal: outer }: TopTokensOptions,
): Promise<TopTokens[]> {
  checkRows(rows, limits, {});
  const packed = (limits.candidates ?? 0) > 0;
  const results = emptyTop(rows, count).map((top, at) => {
    return packed ? { ...top, own: new Float32Array(rows[at]?.ids.length ?? 0) } : top;
  });
  const ask = packed ? askPacked : askPlain;
  const one = async (row: ScoreRow, at: number, signal: AbortSignal): Promise<void> => {
    const length = askedLength(row, limits);
    if (length > 0) await ask(samples, { row, length, count, signal }, results[at] as TopTokens);
  };
  await mapLimit(rows, limits.concurrency, one, outer === undefined ? {} : { signal: outer });
  return results;
}

interface Asked {
  readonly row: ScoreRow;
  readonly length: number;
  readonly count: number;
  readonly signal: AbortSignal;
}

async function askPlain(
  samples: SamplingClient,
  { row: { ids, mask }, length, count, signal }: Asked,
  into: TopTokens,
): Promise<void> {
  const { topK } = await samples.sample({ ...ONE_TOKEN, prompt: ids.subarray(0, length), topK: count, signal });
  // Some leave out the first token, which nothing predicts.
  const shift = length - (topK?.length ?? 0);
  for (let token = 1; token < length; token += 1) {
    if (mask?.[token] === 0) continue;
    const pairs = topK?.[token - shift];
    if (pairs?.length !== count || shift > 1) throw noTop(count, pairs?.length ?? 0);
    pairs.forEach(([id, logprob], place) => {
      into.ids[token * count + place] = id;
      into.logprobs[token * count + place] = logprob;
    });
  }
}

async function askPacked(
  samples: SamplingClient,
  { row, length, count, signal }: Asked,
  into: TopTokens,
): Promise<void> {
  const { ids, mask } = row;
  const tokens = Int32Array.from(ids.keys()).filter((token) => token >= 1 && token < length && mask?.[token] !== 0);
  const extension = { top: { count, positions: pack(tokens) } };
  const asked = { ...ONE_TOKEN, prompt: ids.subarray(0, length), promptLogprobs: true, extension, signal };
  const { wide, promptLogprobs } = await samples.sample(asked);
  const [words, logprobs] = [unpackInts(wide?.top?.ids ?? ""), unpackFloats(wide?.top?.logprobs ?? "")];
  if (words.length !== tokens.length * count || logprobs.length !== words.length) {
    throw noTop(count, words.length / tokens.length);
  }
  tokens.forEach((token, at) => {
    into.ids.set(words.subarray(at * count, (at + 1) * count), token * count);
    into.logprobs.set(logprobs.subarray(at * count, (at + 1) * count), token * count);
  });
  fillFromPrompt(into.own, row, promptLogprobs);
}

function noTop(asked: number, got: number): EngineError {
  return new EngineError(
    "missing-statistic",
    `The trainer gave ${got} of the ${asked} most likely tokens of a place. Ask for fewer, or choose a form of the sampled token.`,
  );
}
