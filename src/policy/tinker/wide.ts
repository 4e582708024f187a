/** More than one word at each token: which words are asked about at which tokens, packed for a server that can. */
import { EngineError } from "../../base/index.ts";
import type { RowStatistics, ScoreRow } from "../policy.ts";
import { pack } from "./packed.ts";
import type { WireCandidates } from "./wire.ts";

/** A row's candidates at the tokens of which something is asked. */
export interface WideRow {
  readonly count: number;
  readonly tokens: Int32Array;
  readonly ids: Int32Array;
  readonly slopes?: Float32Array;
}

/** Undefined where the row has no candidates, or nothing is asked of it. */
export function wideRow(
  { ids, candidates }: Pick<ScoreRow, "ids" | "candidates">,
  asked: (token: number) => boolean,
  slopes?: Float64Array,
): WideRow | undefined {
  if (candidates === undefined) return undefined;
  const { count } = candidates;
  const tokens = Int32Array.from(ids.keys()).filter((token) => token >= 1 && asked(token));
  if (tokens.length === 0) return undefined;
  const gather = <Values extends Int32Array | Float32Array>(from: ArrayLike<number>, into: Values): Values => {
    tokens.forEach((token, at) => {
      for (let one = 0; one < count; one += 1) into[at * count + one] = from[token * count + one] as number;
    });
    return into;
  };
  const size = tokens.length * count;
  return {
    count,
    tokens,
    ids: gather(candidates.ids, new Int32Array(size)),
    ...(slopes === undefined ? {} : { slopes: gather(slopes, new Float32Array(size)) }),
  };
}

/** In a datum a position counts targets, and the first target is the second token; in a prompt it counts tokens. */
export function packWide({ count, tokens, ids, slopes }: WideRow, place: "datum" | "prompt"): WireCandidates {
  const positions = place === "datum" ? tokens.map((token) => token - 1) : tokens;
  return {
    count,
    positions: pack(positions),
    ids: pack(ids),
    ...(slopes === undefined ? {} : { slopes: pack(slopes) }),
  };
}

/** The answers back to their tokens. */
export function fillWide({ count, tokens }: Omit<WideRow, "ids">, logprobs: Float32Array, into: Float32Array): void {
  if (logprobs.length !== tokens.length * count) {
    throw new EngineError(
      "trainer-bad-response",
      `The trainer gave ${logprobs.length} log-probabilities of candidates where ${tokens.length * count} were asked for.`,
    );
  }
  tokens.forEach((token, at) => into.set(logprobs.subarray(at * count, (at + 1) * count), token * count));
}

/** Zeros of the right size, where the statistic is asked for. */
export function emptyWide({ ids, candidates }: ScoreRow, asked: boolean): Pick<RowStatistics, "candidates"> {
  return asked ? { candidates: new Float32Array(ids.length * (candidates?.count ?? 0)) } : {};
}
