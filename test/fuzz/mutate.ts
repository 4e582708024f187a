/** Seeded damage: bit flips, cuts, splices, words that parsers stumble over, huge numbers, deep nesting. */
import type { Rng } from "../../packages/base/src/base/rng.ts";
import { damaged } from "../support/damaged-text.ts";
import { PLANTED } from "./target.ts";

const BAD_WORDS = [
  "__proto__",
  '"__proto__":{"polluted":true},',
  '"constructor":{"prototype":{"polluted":true}},',
  "toString",
  "hasOwnProperty",
  "../../../../etc/passwd",
  "file:///etc/passwd",
  "\u0000",
  "\ufeff",
  "\u202e",
  "\ud800",
  "\r\n",
  "${7*7}",
  "{{7*7}}",
  "{% for i in range(999999999) %}{% endfor %}",
  "%s%n",
  "&a *a",
  "<<: *a",
  "!!js/function",
  "' OR 1=1 --",
  "(((((((((a+)+)+)+)+)+)+)+)+$",
  "NaN",
  "Infinity",
  "null",
  "[]",
  "{}",
  '""',
] as const;
const HUGE = [
  "-1",
  "0",
  "1e308",
  "1e999",
  "-0",
  "2147483648",
  "4294967296",
  "9007199254740993",
  "18446744073709551616",
  "999999999999",
  "0.1e-400",
] as const;
const EXTREMES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] as const;
/** Inputs grow by what is put in; larger ones only cost time. */
const MOST_BYTES = 256 * 1024;

type Way = (bytes: Buffer, rng: Rng, others: readonly Buffer[]) => Buffer;

const one = <T>(rng: Rng, items: readonly T[]): T => items[rng.int(items.length)] as T;
const placeIn = (rng: Rng, bytes: Buffer): number => rng.int(bytes.length + 1);

const flip: Way = (bytes, rng) => {
  const copy = Buffer.from(bytes);
  const times = 1 + rng.int(8);
  for (let time = 0; time < times && copy.length > 0; time += 1) {
    const at = rng.int(copy.length);
    copy[at] = (copy[at] as number) ^ (1 << rng.int(8));
  }
  return copy;
};

const cut: Way = (bytes, rng) => {
  const [from, to] = [placeIn(rng, bytes), placeIn(rng, bytes)].sort((left, right) => left - right) as [number, number];
  return rng.float() < 0.5 ? bytes.subarray(0, from) : Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
};

const splice: Way = (bytes, rng, others) => {
  const other = one(rng, others);
  const from = placeIn(rng, other);
  const piece = other.subarray(from, Math.min(other.length, from + 1 + rng.int(512)));
  return insert(bytes, placeIn(rng, bytes), piece);
};

const badWord: Way = (bytes, rng) => insert(bytes, placeIn(rng, bytes), Buffer.from(one(rng, BAD_WORDS)));

/** A number that stands there becomes another. */
const hugeNumber: Way = (bytes, rng) => {
  const text = bytes.toString("latin1");
  const found = [...text.matchAll(/-?\d+(?:\.\d+)?/g)];
  if (found.length === 0) return badWord(bytes, rng, []);
  const { 0: old, index } = one(rng, found);
  return Buffer.from(text.slice(0, index) + one(rng, HUGE) + text.slice(index + old.length), "latin1");
};

const extreme: Way = (bytes, rng) => {
  const copy = Buffer.from(bytes);
  if (copy.length < 8) return copy;
  const at = rng.int(copy.length - 7);
  const value = one(rng, EXTREMES);
  copy.writeUInt32LE(value, at);
  if (rng.float() < 0.3) copy.writeUInt32LE(value, at + 4);
  return copy;
};

const nest: Way = (bytes, rng) => {
  const depth = one(rng, [10, 200, 5_000, 50_000]);
  const [open, close] = one(rng, [
    ["[", "]"],
    ['{"a":', "}"],
    ["(", ")"],
    ["{% if 1 %}", "{% endif %}"],
    ["- ", ""],
  ] as const);
  const at = placeIn(rng, bytes);
  const isClosed = rng.float() < 0.5;
  return insert(bytes, at, Buffer.from(open.repeat(depth) + (isClosed ? `1${close.repeat(depth)}` : "")));
};

const repeat: Way = (bytes, rng) => {
  const from = placeIn(rng, bytes);
  const piece = bytes.subarray(from, Math.min(bytes.length, from + 1 + rng.int(64)));
  const times = one(rng, [2, 16, 256, 2_048]);
  return insert(bytes, from, Buffer.concat(Array.from({ length: times }, () => piece)));
};

const asText: Way = (bytes, rng) => Buffer.from(damaged(bytes.toString(), rng, PLANTED));

const WAYS: readonly Way[] = [flip, cut, splice, badWord, hugeNumber, extreme, nest, repeat, asText, asText, asText];

function insert(bytes: Buffer, at: number, piece: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}

export interface Keeps {
  readonly keepsSecrets: boolean;
  readonly isJson: boolean;
}

/** One to four things are wrong with it. With `keepsSecrets` what was planted is whole or gone: half a secret cannot be known. */
export function mutated(bytes: Buffer, rng: Rng, others: readonly Buffer[], { keepsSecrets, isJson }: Keeps): Buffer {
  let own = bytes;
  const times = 1 + rng.int(4);
  for (let time = 0; time < times; time += 1) {
    const next = one(rng, WAYS)(own, rng, others);
    const fits = next.length <= MOST_BYTES && (!isJson || parses(next));
    if (fits && (!keepsSecrets || areWhole(own, next))) own = next;
  }
  return own;
}

function parses(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}

/** Every secret stands as often as before, with the letters around it, or is gone altogether. */
function areWhole(before: Buffer, after: Buffer): boolean {
  return PLANTED.every((secret) => {
    const around = contexts(before, secret);
    return [...contexts(after, secret)].every((context) => around.has(context)) && !hasHalf(after, secret);
  });
}

function contexts(bytes: Buffer, secret: string): Set<string> {
  const found = new Set<string>();
  for (let at = bytes.indexOf(secret); at !== -1; at = bytes.indexOf(secret, at + 1)) {
    found.add(bytes.toString("latin1", Math.max(0, at - 24), at + secret.length + 8));
  }
  return found;
}

/** The middle of a secret without the whole of it. */
function hasHalf(bytes: Buffer, secret: string): boolean {
  const middle = secret.slice(Math.floor(secret.length / 3), Math.ceil((2 * secret.length) / 3));
  return bytes.includes(middle) && !bytes.includes(secret);
}
