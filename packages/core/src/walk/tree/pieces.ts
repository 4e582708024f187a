/** Tokens of a tree: each node keeps what was recorded since its parent; a line of nodes gives whole streams again. */
import { concat } from "limbeck-base/base/concat";
import { copyStream, cutAllowed } from "../mind/stream-recorder.ts";
import type { Span, Step, TokenStream } from "limbeck-base/trajectory/trajectory";
import type { Piece, SearchNode } from "./node.ts";

/** Steps with their spans, and the streams they point into. */
export interface Line {
  readonly steps: readonly Step[];
  readonly streams: readonly TokenStream[];
  /** Tokens of the context before the first own one; 0 from the root. */
  readonly shared: number;
}

/** The nodes of a line, each the child of the one before, as one recording. */
export function joinLine(nodes: readonly SearchNode[]): Line {
  const packed = packedLine(nodes);
  return packed === undefined ? joinPieces(nodes) : joinPacked(nodes, packed);
}

/** The pieces of a line that only goes on, each as one stream on the tape; undefined for any other. */
function packedLine(nodes: readonly SearchNode[]): PackedPiece[] | undefined {
  const pieces: PackedPiece[] = [];
  let context = nodes[0]?.piece?.shared ?? 0;
  for (const { piece } of nodes) {
    if (!(piece instanceof PackedPiece) || piece.lengths.length !== 1 || piece.shared !== context) return undefined;
    if (piece.isSampledKnown !== (pieces[0] ?? piece).isSampledKnown) return undefined;
    context += piece.lengths[0] ?? 0;
    pieces.push(piece);
  }
  return pieces.length === 0 ? undefined : pieces;
}

/** Straight from the tape into the streams of the whole line. */
function joinPacked(nodes: readonly SearchNode[], pieces: readonly PackedPiece[]): Line {
  const steps: Step[] = [];
  const first = pieces[0] as PackedPiece;
  const last = pieces[pieces.length - 1] as PackedPiece;
  const length = last.shared + (last.lengths[0] ?? 0) - first.shared;
  const columns = createColumns(length, first.isSampledKnown);
  for (const [at, { step }] of nodes.entries()) {
    const piece = pieces[at] as PackedPiece;
    piece.write(columns, piece.shared - first.shared);
    if (step !== undefined) steps.push(placed(step, 0, piece.shared - first.shared));
  }
  return { steps, streams: [columns], shared: first.shared };
}

function joinPieces(nodes: readonly SearchNode[]): Line {
  const parts: TokenStream[][] = [];
  const steps: Step[] = [];
  const shared = nodes[0]?.piece?.shared ?? 0;
  /** Tokens in the context in hand, those before the line included. */
  let context = shared;
  for (const { piece, step } of nodes) {
    const [first, ...fresh] = piece?.streams ?? [];
    if (piece !== undefined && first !== undefined) {
      if (parts.length === 0) parts.push([]);
      const last = parts.at(-1) as TokenStream[];
      // A message that was written anew takes the place of the one that others were shown.
      if (piece.shared < context) dropTail(last, context - piece.shared);
      if (step !== undefined) steps.push(placed(step, parts.length - 1, lengthOf(last)));
      last.push(first);
      context = piece.shared + first.ids.length;
      for (const stream of fresh) {
        parts.push([stream]);
        context = stream.ids.length;
      }
    } else if (step !== undefined) steps.push(step);
  }
  return { steps, streams: parts.map(joinedStream), shared };
}

/** Whether a child's tokens simply go on after its parent's. */
export function goesOn(parent: SearchNode, child: SearchNode): boolean {
  if (child.piece === undefined) return true;
  return child.piece.shared === contextLength(parent);
}

/** Tokens of the context in hand at a node. */
export function contextLength({ piece }: SearchNode): number {
  if (piece === undefined) return 0;
  const own = piece.lengths.at(-1) ?? 0;
  return piece.lengths.length > 1 ? own : piece.shared + own;
}

function placed(step: Step, stream: number, offset: number): Step {
  if (step.span === undefined) return step;
  const span: Span = { stream, start: step.span.start + offset, end: step.span.end + offset };
  return { ...step, span };
}

function lengthOf(parts: readonly TokenStream[]): number {
  return parts.reduce((total, { ids }) => total + ids.length, 0);
}

function dropTail(parts: TokenStream[], count: number): void {
  for (let left = count; left > 0;) {
    const last = parts.pop();
    if (last === undefined) return;
    const { length } = last.ids;
    if (length > left) parts.push(beginning(last, length - left));
    left -= length;
  }
}

const FLOATS = ["logprobs", "sampledLogprobs", "temperatures", "weights"] as const;

function beginning(stream: TokenStream, length: number): TokenStream {
  if (length === stream.ids.length) return stream;
  const { allowed, versions } = stream;
  const floats = FLOATS.flatMap((field) => {
    const values = stream[field];
    return values === undefined ? [] : [[field, values.slice(0, length)] as const];
  });
  return {
    ids: stream.ids.slice(0, length),
    mask: stream.mask.slice(0, length),
    ...(Object.fromEntries(floats) as Partial<Record<(typeof FLOATS)[number], Float32Array>>),
    ...(versions === undefined ? {} : { versions: versions.slice(0, length) }),
    ...(allowed === undefined ? {} : { allowed: cutAllowed(allowed, 0, length) }),
  };
}

function joinedStream(parts: readonly TokenStream[]): TokenStream {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const floats = FLOATS.flatMap((field) => {
    // Missing in a part that was sampled: unknown for the whole.
    const known = parts.every((part) => part[field] !== undefined || part.ids.length === 0);
    const columns = parts.map((part) => part[field] ?? new Float32Array());
    return known && parts.length > 0 ? [[field, concat(Float32Array, columns)] as const] : [];
  });
  const versions = parts.flatMap((part) => part.versions ?? []);
  return {
    ids: concat(Int32Array, parts.map(({ ids }) => ids)), // prettier-ignore
    mask: concat(Uint8Array, parts.map(({ mask }) => mask)), // prettier-ignore
    ...(Object.fromEntries(floats) as Partial<Record<(typeof FLOATS)[number], Float32Array>>),
    ...(versions.length < parts.length ? {} : { versions: concat(Int32Array, versions) }),
    ...(parts.some(({ allowed }) => allowed !== undefined) ? { allowed: joinedAllowed(parts) } : {}),
  };
}

function joinedAllowed(parts: readonly TokenStream[]): NonNullable<TokenStream["allowed"]> {
  const offsets = new Int32Array(lengthOf(parts) + 1);
  const ids: number[] = [];
  let at = 0;
  for (const { ids: tokens, allowed } of parts) {
    for (let token = 0; token < tokens.length; token += 1) {
      const [start, end] = [allowed?.offsets[token] ?? 0, allowed?.offsets[token + 1] ?? 0];
      if (allowed !== undefined) ids.push(...allowed.ids.subarray(start, end));
      offsets[at + token + 1] = ids.length;
    }
    at += tokens.length;
  }
  return { offsets, ids: Int32Array.from(ids) };
}

// Tokens of many nodes in a few long arrays. Six small arrays a node cost more in their own bookkeeping than their tokens
// do, and a tree has a hundred thousand nodes. What a node recorded is nearly always one answer and what was read after
// it; that is written down as ids and the answer's log-probabilities, and made into streams again on demand.

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
    if (answer === undefined) return { shared, lengths, streams: streams.map(copyStream) };
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

/** The one answer of a piece, sampled at one version and temperature in its first stream; undefined for anything else. */
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
