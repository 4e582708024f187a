/**
 * The difficulty dial: how much stands and lies about, what is shut, and how many steps there are.
 *
 * A spread is [least, middle, most]; half of the draws lie below the middle. `official` follows the sizes measured on
 * 340 official games (receptacles and portable things per room, every container shut). Horizons of `small` and `medium`
 * are the step limits of OPID and of its framework; that of `official` lets a full search of the largest kitchen end.
 */
import { EngineError } from "limbeck-base/base/errors";
import { lookUp, unknownName } from "limbeck-base/base/registry";
import type { Rng } from "limbeck-base/base/rng";
import type { Json, JsonObject } from "limbeck-base/base/json";
import { roomIds, type Room } from "./things.ts";

export interface Dial {
  readonly name: string;
  readonly rooms: readonly Room[];
  readonly receptacles: Readonly<Record<Room, Spread>>;
  /** Portable things that play no part in the errand. */
  readonly distractors: Readonly<Record<Room, Spread>>;
  /** Things of the wanted kind beyond those the errand needs. */
  readonly copies: Spread;
  /** Share of the containers that are shut at the start. */
  readonly shut: number;
  /** Share of neighbouring cabinets and drawers that are reached from one place. */
  readonly sharedPlaces: number;
  /** Steps after which an episode is truncated. Every errand can be done within it, search included. */
  readonly horizon: number;
}

const everywhere = (spread: Spread): Readonly<Record<Room, Spread>> => ({
  kitchen: spread,
  bathroom: spread,
  bedroom: spread,
  livingroom: spread,
});

export const dials = {
  tiny: {
    name: "tiny",
    rooms: roomIds,
    receptacles: everywhere([5, 6, 8]),
    distractors: everywhere([1, 3, 5]),
    copies: [0, 0, 1],
    shut: 0.3,
    sharedPlaces: 0,
    horizon: 12,
  },
  small: {
    name: "small",
    rooms: roomIds,
    receptacles: everywhere([6, 9, 12]),
    distractors: everywhere([4, 8, 12]),
    copies: [0, 1, 2],
    shut: 0.6,
    sharedPlaces: 0,
    horizon: 30,
  },
  medium: {
    name: "medium",
    rooms: roomIds,
    receptacles: everywhere([10, 15, 20]),
    distractors: everywhere([10, 15, 22]),
    copies: [0, 1, 3],
    shut: 0.8,
    sharedPlaces: 0.1,
    horizon: 50,
  },
  official: {
    name: "official",
    rooms: roomIds,
    receptacles: { kitchen: [20, 34, 54], bathroom: [10, 14, 21], bedroom: [7, 14, 27], livingroom: [6, 15, 35] },
    distractors: { kitchen: [28, 42, 60], bathroom: [7, 14, 20], bedroom: [15, 21, 30], livingroom: [12, 20, 31] },
    copies: [0, 1, 3],
    shut: 1,
    sharedPlaces: 0.15,
    horizon: 100,
  },
} as const satisfies Readonly<Record<string, Dial>>;

export type DialName = keyof typeof dials;

/** What "household" alone means. */
export const DEFAULT_DIAL = "tiny" satisfies DialName;

/** A named dial, or changes to one: `{from: "tiny", shut: 1, receptacles: [4, 5, 6]}`; without `from`, to `small`. */
export type DialInput = DialName | JsonObject;

const changes: Readonly<Record<string, (value: Json, base: Dial) => Partial<Dial>>> = {
  copies: (value) => ({ copies: readSpread("copies", value, 0) }),
  distractors: (value, base) => ({ distractors: perRoom("distractors", value, 0, base.distractors) }),
  from: () => ({}),
  horizon: (value) => ({ horizon: readNumber("horizon", value, { least: 1, most: 100_000, whole: true }) }),
  receptacles: (value, base) => ({ receptacles: perRoom("receptacles", value, 1, base.receptacles) }),
  rooms: (value) => ({ rooms: readRooms(value) }),
  sharedPlaces: (value) => ({ sharedPlaces: readNumber("sharedPlaces", value, { least: 0, most: 1 }) }),
  shut: (value) => ({ shut: readNumber("shut", value, { least: 0, most: 1 }) }),
};

export function readDial(input: Json): Dial {
  if (typeof input === "string") return lookUp<Dial>(dials, input, "household dial");
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    throw new EngineError(
      "bad-option",
      `A household dial is a name (${Object.keys(dials).join(", ")}) or an object of changes to one, not ${JSON.stringify(input)}.`,
    );
  }
  const { from = "small" } = input as JsonObject;
  const base = readDial(from);
  const read = Object.entries(input).map(([name, value]) =>
    lookUp(changes, name, "setting of a household dial")(value, base),
  );
  // A changed dial gets a name of its own, so that its tasks are not mistaken for those of the dial it came from.
  return Object.assign({}, base, ...read, {
    name: `custom-${fnv1a(JSON.stringify(input)).toString(16).padStart(8, "0")}`,
  }) as Dial;
}

function perRoom(
  name: string,
  value: Json,
  least: number,
  base: Readonly<Record<Room, Spread>>,
): Readonly<Record<Room, Spread>> {
  if (Array.isArray(value) || typeof value === "number") return everywhere(readSpread(name, value, least));
  if (typeof value !== "object" || value === null) return everywhere(readSpread(name, value, least));
  const rooms = readRooms(Object.keys(value));
  const own = rooms.map((room) => [room, readSpread(`${name}.${room}`, (value as JsonObject)[room] ?? null, least)]);
  return { ...base, ...(Object.fromEntries(own) as Partial<Record<Room, Spread>>) };
}

// Reads the settings of a dial as they come from a command line or a recipe file.

/** Half of the draws lie below the middle. */
type Spread = readonly [least: number, middle: number, most: number];

function readNumber(
  name: string,
  value: Json,
  limits: { readonly least: number; readonly most: number; readonly whole?: boolean },
): number {
  const fits =
    typeof value === "number" &&
    value >= limits.least &&
    value <= limits.most &&
    (limits.whole !== true || Number.isInteger(value));
  if (fits) return value;
  const kind = limits.whole === true ? "a whole number" : "a number";
  throw new EngineError(
    "bad-option",
    `The household setting ${name} is ${JSON.stringify(value)}; it must be ${kind} from ${limits.least} to ${limits.most}.`,
    { details: { name, value } },
  );
}

/** One number, [least, most] or [least, middle, most]. */
function readSpread(name: string, value: Json, least: number): Spread {
  const list = typeof value === "number" ? [value, value, value] : value;
  const numbers = Array.isArray(list) ? (list as readonly Json[]).filter(isCount) : [];
  const complete = Array.isArray(list) && numbers.length === list.length && (list.length === 2 || list.length === 3);
  const [first = Number.NaN] = numbers;
  const last = numbers.at(-1) ?? Number.NaN;
  const middle = numbers.length === 3 ? (numbers[1] as number) : Math.floor((first + last) / 2);
  if (complete && first >= least && first <= middle && middle <= last) return [first, middle, last];
  throw new EngineError(
    "bad-option",
    `The household setting ${name} is ${JSON.stringify(value)}; it must be a whole number of at least ${least}, or two or three of them in rising order.`,
    { details: { name, value } },
  );
}

function readRooms(value: Json): readonly Room[] {
  const list = Array.isArray(value) ? (value as readonly Json[]) : [value];
  if (list.length === 0) {
    throw new EngineError("bad-option", `The household setting rooms is empty. Known rooms: ${roomIds.join(", ")}.`);
  }
  return list.map((room) => {
    const known = roomIds.find((id) => id === room);
    if (known === undefined) throw unknownName(typeof room === "string" ? room : JSON.stringify(room), roomIds, "room");
    return known;
  });
}

function isCount(value: Json): value is number {
  return typeof value === "number" && Number.isInteger(value) && value <= 1_000;
}

// Spread draws.

/** A whole number of the spread: below the middle in half of the draws, above it in the other half. */
export function drawSpread([least, middle, most]: Spread, rng: Rng): number {
  return rng.float() < 0.5 ? least + rng.int(middle - least + 1) : middle + rng.int(most - middle + 1);
}

// A small, fast hash for names and buckets; not for secrets.

/** FNV-1a over UTF-16 units, 32 bits, with a final mix because the low bits of plain FNV-1a are weak. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
