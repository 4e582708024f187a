/** Token streams as they grow: prompt and sampled tokens, each recorded once. */
import type { Mutable } from "limbeck-base/base/fields";
import type { Sampled } from "limbeck-policy/policy/policy";
import type { TokenStream } from "limbeck-base/trajectory/trajectory";
import type { Answer } from "./agent.ts";

const FIRST_CAPACITY = 64;
/** Five numbers of four bytes and a mark for every token. */
const TOKEN_BYTES = 21;

type Columns = Required<Omit<TokenStream, "weights" | "allowed">>;

/** Every branch has one and each step asks it: a class, so that what the compiler has made of it outlives a branch. */
export class StreamRecorder {
  /** Tokens before the first own one. */
  readonly shared: number;
  /** Own tokens so far. */
  length: number;
  readonly #shared: Int32Array;
  #columns: Columns;
  /** False once an answer came from a server that does not report its sampling distribution. */
  #drawnKnown: boolean;
  /** Restricted answers: where each begins, and what was allowed at its tokens. */
  #restricted: { readonly start: number; readonly allowed: NonNullable<Sampled["allowed"]> }[] | undefined;

  /** `own`: what was recorded before, to go on with. */
  constructor(shared: Int32Array, own?: TokenStream) {
    this.shared = shared.length;
    this.#shared = shared;
    this.length = own?.ids.length ?? 0;
    this.#columns = own === undefined ? emptyColumns(FIRST_CAPACITY) : columnsOf(own);
    this.#drawnKnown = own === undefined || own.sampledLogprobs !== undefined;
    if (own?.allowed !== undefined) this.#restricted = [{ start: 0, allowed: own.allowed }];
  }

  read(added: ArrayLike<number>): void {
    this.#reserve(added.length);
    this.#columns.ids.set(added, this.length);
    this.length += added.length;
  }

  say(sampled: Sampled, temperature: number): void {
    const { length: start } = this;
    const end = start + sampled.ids.length;
    this.#reserve(sampled.ids.length);
    const { ids, mask, logprobs, sampledLogprobs, versions, temperatures } = this.#columns;
    ids.set(sampled.ids, start);
    logprobs.set(sampled.logprobs, start);
    sampledLogprobs.set(sampled.sampledLogprobs, start);
    this.#drawnKnown &&= sampled.sampledLogprobs.length === sampled.ids.length;
    mask.fill(1, start, end);
    versions.fill(sampled.version, start, end);
    temperatures.fill(temperature, start, end);
    if (sampled.allowed !== undefined) (this.#restricted ??= []).push({ start, allowed: sampled.allowed });
    this.length = end;
  }

  /** Takes back what was read last: only so many own tokens stay. Views that were taken since are not to be read any more. */
  takeBack(length: number): void {
    this.length = length;
  }

  /** Shared and own tokens, from the beginning of the context; the first `count` of them unless all. */
  whole(count: number = this.shared + this.length): Int32Array {
    if (count <= this.shared) return this.#shared.slice(0, count);
    const all = new Int32Array(count);
    all.set(this.#shared);
    all.set(this.#columns.ids.subarray(0, count - this.shared), this.shared);
    return all;
  }

  /** Own tokens of an answer. */
  answer(start: number, end: number): Answer {
    const { ids, logprobs, sampledLogprobs } = this.#columns;
    return {
      ids: ids.slice(start, end),
      logprobs: logprobs.slice(start, end),
      sampledLogprobs: this.#drawnKnown ? sampledLogprobs.slice(start, end) : new Float32Array(),
    };
  }

  finish(): TokenStream {
    return copyStream(this.view(0));
  }

  /** Own tokens from `start` on, without a copy; it holds on to all that was recorded. */
  view(start: number): TokenStream {
    const { length } = this;
    const { ids, mask, logprobs, sampledLogprobs, versions, temperatures } = this.#columns;
    const stream: Mutable<TokenStream> = {
      ids: ids.subarray(start, length),
      mask: mask.subarray(start, length),
      logprobs: logprobs.subarray(start, length),
    };
    if (this.#drawnKnown) stream.sampledLogprobs = sampledLogprobs.subarray(start, length);
    stream.versions = versions.subarray(start, length);
    stream.temperatures = temperatures.subarray(start, length);
    if (this.#restricted !== undefined) {
      stream.allowed = cutAllowed(allowedOf(this.#restricted, length), start, length);
    }
    return stream;
  }

  /** What was recorded is never written over: a view of it stays true when the columns move. */
  #reserve(more: number): void {
    const old = this.#columns;
    const wanted = this.length + more;
    if (wanted <= old.ids.length) return;
    const columns = emptyColumns(Math.max(wanted, old.ids.length * 2));
    columns.ids.set(old.ids);
    columns.mask.set(old.mask);
    columns.logprobs.set(old.logprobs);
    columns.sampledLogprobs.set(old.sampledLogprobs);
    columns.versions.set(old.versions);
    columns.temperatures.set(old.temperatures);
    this.#columns = columns;
  }
}

/** All columns in one piece of memory: six pieces cost more to make than the tokens of a branch to write. */
function emptyColumns(capacity: number): Columns {
  const memory = new ArrayBuffer(capacity * TOKEN_BYTES);
  return {
    ids: new Int32Array(memory, 0, capacity),
    logprobs: new Float32Array(memory, capacity * 4, capacity),
    sampledLogprobs: new Float32Array(memory, capacity * 8, capacity),
    versions: new Int32Array(memory, capacity * 12, capacity),
    temperatures: new Float32Array(memory, capacity * 16, capacity),
    mask: new Uint8Array(memory, capacity * 20, capacity),
  };
}

function columnsOf({ ids, mask, logprobs, sampledLogprobs, versions, temperatures }: TokenStream): Columns {
  return {
    ids,
    mask,
    logprobs: logprobs ?? new Float32Array(ids.length),
    sampledLogprobs: sampledLogprobs ?? new Float32Array(ids.length),
    versions: versions ?? new Int32Array(ids.length),
    temperatures: temperatures ?? new Float32Array(ids.length),
  };
}

/** A stream that holds no more memory than its own. */
export function copyStream(stream: TokenStream): TokenStream {
  const own: Mutable<TokenStream> = { ...stream, ids: stream.ids.slice(), mask: stream.mask.slice() };
  for (const field of ["logprobs", "sampledLogprobs", "temperatures", "weights"] as const) {
    const values = stream[field];
    if (values !== undefined) own[field] = values.slice();
  }
  if (stream.versions !== undefined) own.versions = stream.versions.slice();
  return own;
}

/** What was allowed at some of the tokens. */
export function cutAllowed(
  { offsets, ids }: NonNullable<TokenStream["allowed"]>,
  start: number,
  end: number,
): NonNullable<TokenStream["allowed"]> {
  const first = offsets[start] ?? 0;
  return {
    offsets: offsets.slice(start, end + 1).map((offset) => offset - first),
    ids: ids.slice(first, offsets[end]),
  };
}

function allowedOf(
  restricted: readonly { readonly start: number; readonly allowed: NonNullable<Sampled["allowed"]> }[],
  length: number,
): NonNullable<TokenStream["allowed"]> {
  const offsets = new Int32Array(length + 1);
  const ids = new Int32Array(restricted.reduce((total, { allowed }) => total + allowed.ids.length, 0));
  let filled = 0;
  let at = 0;
  for (const { start, allowed } of restricted) {
    offsets.fill(filled, at, start + 1);
    for (let token = 1; token < allowed.offsets.length; token += 1) {
      offsets[start + token] = filled + (allowed.offsets[token] as number);
    }
    ids.set(allowed.ids, filled);
    filled += allowed.ids.length;
    at = start + allowed.offsets.length;
  }
  offsets.fill(filled, at, length + 1);
  return { offsets, ids };
}
