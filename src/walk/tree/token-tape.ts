/**
 * Tokens of many nodes in a few long arrays. Six small arrays a node cost more in their own bookkeeping than their tokens
 * do, and a tree has a hundred thousand nodes. What a node recorded is nearly always one answer and what was read after
 * it; that is written down as ids and the answer's log-probabilities, and made into streams again when somebody asks.
 */
import { copied } from "../mind/stream-recorder.ts";
import type { TokenStream } from "../../trajectory/index.ts";
import type { Piece } from "./piece.ts";

const CHUNK = 1 << 16;

/** The same memory twice: ids, and log-probabilities among them. */
interface Chunk {
  readonly ids: Int32Array;
  readonly floats: Float32Array;
}

export class TokenTape {
  #chunk: Chunk | undefined;
  #used = CHUNK;

  /** Keeps a piece in little room, or a copy of it where it has another shape. */
  keep(piece: Piece): Piece {
    const { shared, lengths, streams } = piece;
    const answer = answerOf(streams);
    if (answer === undefined) return { shared, lengths, streams: streams.map(copied) };
    const { start, end, first } = answer;
    const { logprobs, sampledLogprobs } = first;
    const said = end - start;
    let length = said * (sampledLogprobs === undefined ? 1 : 2);
    for (const own of lengths) length += own;
    const chunk = this.#reserve(length);
    const at = this.#used;
    let next = at;
    for (const { ids } of streams) {
      chunk.ids.set(ids, next);
      next += ids.length;
    }
    for (let token = start; token < end; token += 1) {
      chunk.floats[next] = logprobs[token] as number;
      if (sampledLogprobs !== undefined) chunk.floats[next + said] = sampledLogprobs[token] as number;
      next += 1;
    }
    this.#used += length;
    return new PackedPiece(shared, lengths, {
      chunk,
      at,
      start,
      end,
      version: first.versions[start] ?? 0,
      temperature: first.temperatures[start] ?? 0,
      isSampledKnown: sampledLogprobs !== undefined,
    });
  }

  /** A piece is never cut in two: one that does not fit begins a new chunk, a longer one has its own. */
  #reserve(length: number): Chunk {
    if (this.#chunk !== undefined && this.#used + length <= CHUNK) return this.#chunk;
    const ids = new Int32Array(Math.max(CHUNK, length));
    this.#chunk = { ids, floats: new Float32Array(ids.buffer) };
    this.#used = 0;
    return this.#chunk;
  }
}

type Recorded = TokenStream & Required<Pick<TokenStream, "logprobs" | "versions" | "temperatures">>;

interface Answer {
  readonly first: Recorded;
  readonly start: number;
  readonly end: number;
}

/** The one answer of a piece, said at one version and temperature in its first stream; undefined for anything else. */
function answerOf(streams: readonly TokenStream[]): Answer | undefined {
  const [first] = streams as readonly Recorded[];
  if (first === undefined) return undefined;
  const isKnown = first.sampledLogprobs !== undefined;
  for (const stream of streams) {
    if (!isPlain(stream) || (stream.sampledLogprobs !== undefined) !== isKnown) return undefined;
    if (stream !== first && stream.mask.includes(1)) return undefined;
  }
  const { mask, versions, temperatures } = first;
  const start = Math.max(0, mask.indexOf(1));
  const end = mask.lastIndexOf(1) + 1;
  for (let at = start; at < end; at += 1) {
    const isSame = mask[at] === 1 && versions[at] === versions[start] && temperatures[at] === temperatures[start];
    if (!isSame) return undefined;
  }
  return { first, start, end: Math.max(start, end) };
}

function isPlain({ logprobs, versions, temperatures, weights, allowed }: TokenStream): boolean {
  const has = logprobs !== undefined && versions !== undefined && temperatures !== undefined;
  return has && weights === undefined && allowed === undefined;
}

interface Packed {
  readonly chunk: Chunk;
  readonly at: number;
  readonly start: number;
  readonly end: number;
  readonly version: number;
  readonly temperature: number;
  readonly isSampledKnown: boolean;
}

export class PackedPiece implements Piece {
  readonly shared: number;
  readonly lengths: readonly number[];
  readonly #packed: Packed;

  constructor(shared: number, lengths: readonly number[], packed: Packed) {
    this.shared = shared;
    this.lengths = lengths;
    this.#packed = packed;
  }

  /** Whether what was sampled is known with the probability it was drawn with. */
  get isSampledKnown(): boolean {
    return this.#packed.isSampledKnown;
  }

  get streams(): readonly TokenStream[] {
    let before = 0;
    return this.lengths.map((length, stream) => {
      const columns = createColumns(length, this.isSampledKnown);
      this.#writeIds(columns, 0, before, length);
      if (stream === 0) this.#writeAnswer(columns, 0);
      before += length;
      return columns;
    });
  }

  /** Writes the first stream into a longer one, from a place on. */
  write(columns: Recorded, at: number): void {
    this.#writeIds(columns, at, 0, this.lengths[0] ?? 0);
    this.#writeAnswer(columns, at);
  }

  #writeIds({ ids }: Recorded, at: number, from: number, length: number): void {
    const start = this.#packed.at + from;
    ids.set(this.#packed.chunk.ids.subarray(start, start + length), at);
  }

  #writeAnswer({ mask, logprobs, sampledLogprobs, versions, temperatures }: Recorded, at: number): void {
    const { chunk, start, end, version, temperature } = this.#packed;
    let next = this.#packed.at;
    for (const length of this.lengths) next += length;
    const said = end - start;
    for (let token = at + start; token < at + end; token += 1) {
      mask[token] = 1;
      logprobs[token] = chunk.floats[next] as number;
      if (sampledLogprobs !== undefined) sampledLogprobs[token] = chunk.floats[next + said] as number;
      versions[token] = version;
      temperatures[token] = temperature;
      next += 1;
    }
  }
}

/** An empty stream of so many tokens, to be written into. */
export function createColumns(length: number, isSampledKnown: boolean): Recorded {
  return {
    ids: new Int32Array(length),
    mask: new Uint8Array(length),
    logprobs: new Float32Array(length),
    ...(isSampledKnown ? { sampledLogprobs: new Float32Array(length) } : {}),
    versions: new Int32Array(length),
    temperatures: new Float32Array(length),
  };
}
