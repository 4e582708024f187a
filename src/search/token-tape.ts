/**
 * Tokens of many nodes in a few long arrays. Six small arrays a node cost more in their own bookkeeping than their tokens
 * do, and a tree has a hundred thousand nodes. What a node recorded is nearly always one answer and what was read after
 * it; that is written down as ids and the answer's log-probabilities, and made into streams again when somebody asks.
 */
import type { TokenStream } from "../trajectory/index.ts";
import type { Piece } from "./pieces.ts";

const CHUNK = 1 << 16;

export class TokenTape {
  readonly #chunks: Int32Array[] = [];
  #used = CHUNK;

  /** Keeps a piece in little room, or as it is where it has another shape. */
  keep(piece: Piece): Piece {
    const answer = answerOf(piece.streams);
    if (answer === undefined) return piece;
    const { start, end, first } = answer;
    const parts = piece.streams.map(({ ids }) => ids);
    parts.push(bits(first.logprobs.subarray(start, end)));
    if (first.sampledLogprobs !== undefined) parts.push(bits(first.sampledLogprobs.subarray(start, end)));
    const at = this.#write(parts);
    return new PackedPiece(this, {
      shared: piece.shared,
      lengths: piece.lengths,
      at,
      start,
      end,
      version: first.versions[start] ?? 0,
      temperature: first.temperatures[start] ?? 0,
      isSampledKnown: first.sampledLogprobs !== undefined,
    });
  }

  read(at: number, count: number): Int32Array {
    const chunk = this.#chunks[Math.floor(at / CHUNK)];
    return (chunk ?? new Int32Array()).slice(at % CHUNK, (at % CHUNK) + count);
  }

  /** A piece is never cut in two: one that does not fit begins a new chunk, a longer one has its own. */
  #write(parts: readonly Int32Array[]): number {
    const length = parts.reduce((total, part) => total + part.length, 0);
    if (this.#used + length > CHUNK) {
      this.#chunks.push(new Int32Array(Math.max(CHUNK, length)));
      this.#used = 0;
    }
    const chunk = this.#chunks.at(-1) as Int32Array;
    const at = (this.#chunks.length - 1) * CHUNK + this.#used;
    for (const part of parts) {
      chunk.set(part, this.#used);
      this.#used += part.length;
    }
    return at;
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
  if (!streams.every(isPlain)) return undefined;
  const [first, ...rest] = streams as readonly Recorded[];
  if (first === undefined || rest.some(({ mask }) => mask.includes(1))) return undefined;
  const isKnown = first.sampledLogprobs !== undefined;
  if (rest.some(({ sampledLogprobs }) => (sampledLogprobs !== undefined) !== isKnown)) return undefined;
  const start = Math.max(0, first.mask.indexOf(1));
  const end = first.mask.lastIndexOf(1) + 1;
  for (let at = start; at < end; at += 1) {
    const isSame =
      first.mask[at] === 1 &&
      first.versions[at] === first.versions[start] &&
      first.temperatures[at] === first.temperatures[start];
    if (!isSame) return undefined;
  }
  return { first, start, end: Math.max(start, end) };
}

function isPlain({ logprobs, versions, temperatures, weights, allowed }: TokenStream): boolean {
  const has = logprobs !== undefined && versions !== undefined && temperatures !== undefined;
  return has && weights === undefined && allowed === undefined;
}

interface Packed {
  readonly shared: number;
  readonly lengths: readonly number[];
  readonly at: number;
  readonly start: number;
  readonly end: number;
  readonly version: number;
  readonly temperature: number;
  readonly isSampledKnown: boolean;
}

class PackedPiece implements Piece {
  readonly shared: number;
  readonly lengths: readonly number[];
  readonly #tape: TokenTape;
  readonly #packed: Packed;

  constructor(tape: TokenTape, packed: Packed) {
    this.shared = packed.shared;
    this.lengths = packed.lengths;
    this.#tape = tape;
    this.#packed = packed;
  }

  get streams(): readonly TokenStream[] {
    const { at, start, end, version, temperature, isSampledKnown } = this.#packed;
    let next = at;
    const read = (count: number): Int32Array => {
      next += count;
      return this.#tape.read(next - count, count);
    };
    const ids = this.lengths.map(read);
    const said = read(end - start);
    const sampled = isSampledKnown ? read(end - start) : undefined;
    return ids.map((own, stream) => {
      const [from, to] = stream === 0 ? [start, end] : [0, 0];
      const { length } = own;
      return {
        ids: own,
        mask: new Uint8Array(length).fill(1, from, to),
        logprobs: placed(stream === 0 ? said : undefined, length, from),
        ...(sampled === undefined ? {} : { sampledLogprobs: placed(stream === 0 ? sampled : undefined, length, from) }),
        versions: new Int32Array(length).fill(version, from, to),
        temperatures: new Float32Array(length).fill(temperature, from, to),
      };
    });
  }
}

function bits({ buffer, byteOffset, length }: Float32Array): Int32Array {
  return new Int32Array(buffer, byteOffset, length);
}

function placed(values: Int32Array | undefined, length: number, at: number): Float32Array {
  const all = new Float32Array(length);
  if (values !== undefined) bits(all).set(values, at);
  return all;
}
