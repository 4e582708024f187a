/** Reads a judge's answer, however it was wrapped: pure JSON, JSON in prose or a fence, "name: 4", "4/5", a lone number. */
import { isObject, parseJson, type Json } from "limbeck-base/base/json";

export interface Scale {
  readonly least: number;
  readonly most: number;
}

/** A value for each name, scaled to 0 to 1; or why the answer cannot be used. */
export function readReply(
  reply: unknown,
  names: readonly string[],
  scale: Scale,
): ReadonlyMap<string, number> | string {
  if (typeof reply !== "string") return "the judge did not answer with text";
  const found = objects(reply).findLast((object) => names.some((name) => field(object, name) !== undefined));
  const values = new Map<string, number>();
  for (const name of names) {
    const own = found === undefined ? fromProse(reply, name, names.length === 1) : field(found, name);
    const value = own === undefined ? undefined : toNumber(own, scale);
    if (value === undefined) return `the answer has no number for "${name}"`;
    if (value < scale.least || value > scale.most) {
      return `the answer says ${value} for "${name}", outside ${scale.least} to ${scale.most}`;
    }
    values.set(name, (value - scale.least) / (scale.most - scale.least));
  }
  return values;
}

/** Flat objects in a text; judges are asked for one without nesting. */
function objects(reply: string): { readonly [key: string]: Json }[] {
  const whole = parseJson(reply.trim());
  if (isObject(whole)) return [whole];
  return (reply.match(/\{[^{}]{0,5000}\}/g) ?? []).flatMap((text) => {
    const parsed = parseJson(text);
    return isObject(parsed) ? [parsed] : [];
  });
}

/** Judges change the case of names, and the answer may hold {"score": 4, "why": ...} in place of a number. */
function field(object: { readonly [key: string]: Json }, name: string): Json | undefined {
  const key = Object.keys(object).find((own) => own.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? undefined : object[key];
  return isObject(value) ? value["score"] : value;
}

function toNumber(value: Json, scale: Scale): number | undefined {
  if (typeof value === "boolean") return value ? scale.most : scale.least;
  if (typeof value === "number") return value;
  const match = typeof value === "string" ? /^\s*(-?\d+(?:\.\d+)?)\s*(?:\/\s*(\d+(?:\.\d+)?))?\s*$/.exec(value) : null;
  if (match === null || (match[2] !== undefined && Number(match[2]) !== scale.most)) return undefined;
  return Number(match[1]);
}

/** "correct: 4", "**Score**: 4/5"; a lone number where only one is asked for. The last word of a judge counts. */
function fromProse(reply: string, name: string, alone: boolean): Json | undefined {
  const names = alone ? `(?:${name}|score|rating|grade)` : name;
  const pattern = new RegExp(
    `\\b${names}\\b["'*_\`]{0,4}\\s{0,4}[:=]["'*_\`\\s]{0,8}(-?\\d+(?:\\.\\d+)?(?:\\s?/\\s?\\d+)?)`,
    "gi",
  );
  const last = [...reply.matchAll(pattern)].at(-1)?.[1];
  if (last !== undefined) return last;
  return alone && /^\s*-?\d+(\.\d+)?(\s?\/\s?\d+)?\s*\.?\s*$/.test(reply) ? reply.trim().replace(/\.$/, "") : undefined;
}
