/** Token streams as they grow: what was read and what was said, each token recorded once. */
import type { Sampled } from "../policy/index.ts";
import type { TokenStream } from "../trajectory/index.ts";
import type { Answer } from "./agent.ts";

export interface StreamRecorder {
  /** Tokens before the first own one. */
  readonly shared: number;
  /** Own tokens so far. */
  readonly length: number;
  read(ids: ArrayLike<number>): void;
  say(sampled: Sampled, temperature: number): void;
  /** Shared and own tokens, from the beginning of the context; the first `count` of them unless all. */
  whole(count?: number): Int32Array;
  /** Own tokens of an answer. */
  answer(start: number, end: number): Answer;
  /** Own tokens, from `start` on. */
  finish(start?: number): TokenStream;
}

const FIRST_CAPACITY = 64;

/** `own`: what was recorded before, to go on with. */
export function createRecorder(shared: Int32Array, own?: TokenStream): StreamRecorder {
  let length = own?.ids.length ?? 0;
  let ids = own?.ids ?? new Int32Array(FIRST_CAPACITY);
  let mask = own?.mask ?? new Uint8Array(FIRST_CAPACITY);
  let logprobs = own?.logprobs ?? new Float32Array(ids.length);
  let sampledLogprobs = own?.sampledLogprobs ?? new Float32Array(ids.length);
  let versions = own?.versions ?? new Int32Array(ids.length);
  let temperatures = own?.temperatures ?? new Float32Array(ids.length);
  /** False once an answer came from a server that does not tell what it drew from. */
  let drawnKnown = own === undefined || own.sampledLogprobs !== undefined;
  /** Restricted answers: where each begins, and what was allowed at its tokens. */
  const restricted: { readonly start: number; readonly allowed: NonNullable<Sampled["allowed"]> }[] =
    own?.allowed === undefined ? [] : [{ start: 0, allowed: own.allowed }];

  const reserve = (more: number): void => {
    const wanted = length + more;
    if (wanted <= ids.length) return;
    const capacity = Math.max(wanted, ids.length * 2);
    ids = grown(new Int32Array(capacity), ids);
    mask = grown(new Uint8Array(capacity), mask);
    logprobs = grown(new Float32Array(capacity), logprobs);
    sampledLogprobs = grown(new Float32Array(capacity), sampledLogprobs);
    versions = grown(new Int32Array(capacity), versions);
    temperatures = grown(new Float32Array(capacity), temperatures);
  };

  return {
    shared: shared.length,
    get length() {
      return length;
    },
    read: (added) => {
      reserve(added.length);
      ids.set(added, length);
      length += added.length;
    },
    say: (sampled, temperature) => {
      const count = sampled.ids.length;
      reserve(count);
      ids.set(sampled.ids, length);
      logprobs.set(sampled.logprobs, length);
      sampledLogprobs.set(sampled.sampledLogprobs, length);
      drawnKnown &&= sampled.sampledLogprobs.length === count;
      mask.fill(1, length, length + count);
      versions.fill(sampled.version, length, length + count);
      temperatures.fill(temperature, length, length + count);
      if (sampled.allowed !== undefined) restricted.push({ start: length, allowed: sampled.allowed });
      length += count;
    },
    whole: (count = shared.length + length) => {
      if (count <= shared.length) return shared.slice(0, count);
      const all = new Int32Array(count);
      all.set(shared);
      all.set(ids.subarray(0, count - shared.length), shared.length);
      return all;
    },
    answer: (start, end) => ({
      ids: ids.slice(start, end),
      logprobs: logprobs.slice(start, end),
      sampledLogprobs: drawnKnown ? sampledLogprobs.slice(start, end) : new Float32Array(),
    }),
    finish: (start = 0) => ({
      ids: ids.slice(start, length),
      mask: mask.slice(start, length),
      logprobs: logprobs.slice(start, length),
      ...(drawnKnown ? { sampledLogprobs: sampledLogprobs.slice(start, length) } : {}),
      versions: versions.slice(start, length),
      temperatures: temperatures.slice(start, length),
      ...(restricted.length === 0 ? {} : { allowed: cutAllowed(allowedOf(restricted, length), start, length) }),
    }),
  };
}

function grown<T extends Int32Array | Uint8Array | Float32Array>(larger: T, smaller: T): T {
  larger.set(smaller);
  return larger;
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
