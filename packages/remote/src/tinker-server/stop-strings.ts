/** Texts at which a sample ends. Which tokens will make them up is not known before, so that it is looked after each token. */
import type { Sampled, SampleOptions } from "limbeck-policy/policy/policy";
import { endsWith } from "limbeck-policy/policy/local/response";

export type Decode = (ids: readonly number[]) => string;

/** A conversation, as far as it is needed here. */
export interface Speaking {
  sample(options: SampleOptions): Promise<Sampled>;
}

export interface StopTexts {
  readonly texts: readonly string[];
  readonly decode: Decode;
}

/**
 * A sample that also ends after the token with which one of the texts is there. Drawn token by token from one conversation, it
 * samples what it would have sampled in one piece.
 */
export async function sampleUntil(
  talk: Speaking,
  options: SampleOptions,
  { texts, decode }: StopTexts,
): Promise<Sampled> {
  const longest = Math.max(...texts.map((text) => text.length));
  const pieces: Sampled[] = [];
  const ids: number[] = [];
  while (ids.length < options.maxTokens) {
    // A stop of several tokens would never be seen in one.
    const piece = await talk.sample({ ...options, maxTokens: 1 });
    pieces.push(piece);
    ids.push(...piece.ids);
    // Every token adds a letter or a part of one; four bytes are the most that a letter has.
    const end = decode(ids.slice(-4 * longest - 4));
    if (options.stop?.some((stop) => endsWith(ids, stop)) === true || texts.some((text) => end.includes(text)))
      return joinPieces(pieces, "stop");
    if (piece.ending !== "length" || piece.ids.length === 0) return joinPieces(pieces, piece.ending);
  }
  return joinPieces(pieces, "length");
}

function joinPieces(pieces: readonly Sampled[], ending: Sampled["ending"]): Sampled {
  return {
    ids: Int32Array.from(pieces.flatMap(({ ids }) => [...ids])),
    logprobs: Float32Array.from(pieces.flatMap(({ logprobs }) => [...logprobs])),
    sampledLogprobs: Float32Array.from(pieces.flatMap(({ sampledLogprobs }) => [...sampledLogprobs])),
    version: pieces.at(-1)?.version ?? 0,
    ending,
  };
}
