/** Reads the settings of a dial as they come from a command line or a recipe file. */
import { EngineError, unknownName } from "../../base/index.ts";
import type { Json } from "../../trajectory/index.ts";
import { roomIds, type Room } from "./rooms.ts";

/** Half of the draws lie below the middle. */
export type Spread = readonly [least: number, middle: number, most: number];

export function readNumber(
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
export function readSpread(name: string, value: Json, least: number): Spread {
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

export function readRooms(value: Json): readonly Room[] {
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
