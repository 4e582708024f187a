/** A file as disks, editors, crashes and people leave it behind: for the suite that importers run. */
import { isObject, type Json } from "../../packages/base/src/base/json.ts";
import type { Rng } from "../../packages/base/src/base/rng.ts";

const ODD: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  "",
  "x",
  "2026-13-45T99:99:99Z",
  [],
  {},
  [[]],
  [null],
  { a: 1 },
  "\u0000",
  "\ud800",
];

/** One to three things are wrong with it. What stands in `whole` is not torn apart: half a secret cannot be known. */
export function damaged(text: string, rng: Rng, whole: readonly string[]): string {
  let own = text;
  const times = 1 + rng.int(3);
  for (let time = 0; time < times; time += 1) own = one(rng, WAYS)(own, rng, whole);
  return own;
}

type Way = (text: string, rng: Rng, whole: readonly string[]) => string;

const one = <T>(rng: Rng, items: readonly T[]): T => items[rng.int(items.length)] as T;
const at = (rng: Rng, length: number): number => rng.int(Math.max(1, length));

const swapped: Way = (text, rng) => {
  const lines = text.split("\n");
  const [first, other] = [at(rng, lines.length), at(rng, lines.length)];
  [lines[first], lines[other]] = [lines[other] ?? "", lines[first] ?? ""];
  return lines.join("\n");
};

const dropped: Way = (text, rng) => {
  const lines = text.split("\n");
  lines.splice(at(rng, lines.length), 1);
  return lines.join("\n");
};

const repeated: Way = (text, rng) => {
  const lines = text.split("\n");
  lines.splice(at(rng, lines.length), 0, lines[at(rng, lines.length)] ?? "");
  return lines.join("\n");
};

/** Characters that are put in, taken out or replaced, away from what must stay whole. */
const scratched: Way = (text, rng, whole) => {
  const place = at(rng, text.length);
  const near = text.slice(Math.max(0, place - 80), place + 80);
  if (whole.some((text) => near.includes(text))) return text;
  const put = one(rng, ["", "{", "}", '"', "\\", "[", "]", ",", "\n", "\u0000", "é", "9"]);
  return text.slice(0, place) + put + text.slice(place + (rng.float() < 0.5 ? 1 : 0));
};

const cutOff: Way = (text, rng, whole) => {
  const place = at(rng, text.length);
  const near = text.slice(Math.max(0, place - 80), place + 80);
  return whole.some((text) => near.includes(text)) ? text : text.slice(0, place);
};

/** A value of another kind in a place of one record. */
const retyped: Way = (text, rng) => {
  const lines = text.split("\n");
  const line = at(rng, lines.length);
  try {
    const record = JSON.parse(lines[line] ?? "") as Json;
    lines[line] = JSON.stringify(withOdd(record, rng, 0));
    return lines.join("\n");
  } catch {
    return text;
  }
};

function withOdd(value: Json, rng: Rng, depth: number): Json {
  const stop = rng.float() < 0.12 + depth * 0.05;
  if (stop || typeof value !== "object" || value === null) return one(rng, ODD);
  if (Array.isArray(value)) {
    const place = at(rng, value.length);
    return value.map((item: Json, index) => (index === place ? withOdd(item, rng, depth + 1) : item));
  }
  if (!isObject(value)) return value;
  const name = Object.keys(value)[at(rng, Object.keys(value).length)];
  const entries = Object.entries(value).map(([key, inner]): [string, Json] => [
    key,
    key === name ? withOdd(inner, rng, depth + 1) : inner,
  ]);
  return Object.fromEntries(rng.float() < 0.2 ? entries.filter(([key]) => key !== name) : entries);
}

const WAYS: readonly Way[] = [swapped, dropped, repeated, scratched, cutOff, retyped, retyped, retyped, retyped];
