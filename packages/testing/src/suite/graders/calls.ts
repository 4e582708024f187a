/** The functions that were called, by name and arguments. */
import { optimalAssignment } from "limbeck-base/base/assignment";
import { canonicalJson, isObject, parseObject, type Json, type JsonObject } from "limbeck-base/base/json";
import { option } from "limbeck-base/base/option";
import { callsOf } from "limbeck-base/trajectory/calls";
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { defineGrader } from "../grader.ts";

export interface Call {
  readonly name: string;
  readonly arguments: JsonObject;
}

export const calls = defineGrader({
  id: "calls",
  meaning: "Whether just the calls of `answer` were made, a list of {name, arguments}; an empty list: none.",
  options: {
    order: option.choice("any", ["any", "same"], "whether calls have to come in the order of the answer"),
    extra: option.flag(false, "other calls beside them are allowed"),
    values: option.choice(
      "equal",
      ["equal", "any-of"],
      'any-of: every argument has a list of values that are right, with "" where it may be left out; texts without case, blanks and ,./-_*^',
    ),
  },
  check: (answer) =>
    Array.isArray(answer) && answer.every((one) => readCall(one) !== undefined)
      ? undefined
      : "`answer` has to be a list of {name, arguments}",
  grade: ({ trajectory, answer }, { order, extra, values }) => {
    const gold = (answer as readonly Json[]).flatMap((one) => readCall(one) ?? []);
    const made = callsIn(trajectory);
    if (made.length < gold.length || (made.length > gold.length && !extra)) {
      return { score: scored(0), why: `${made.length} calls, not ${gold.length}` };
    }
    const isSame = (own: Call | undefined, right: Call): boolean =>
      own !== undefined &&
      plainName(own) === plainName(right) &&
      (values === "equal" ? isEqual(own, right) : isAnyOf(own, right));
    if (order === "any") {
      const table = gold.map((right) => made.map((own) => Number(isSame(own, right))));
      const partners = gold.length === 0 ? [] : optimalAssignment(table);
      const all = partners.every((column, row) => table[row]?.[column] === 1);
      return { score: scored(Number(all)) };
    }
    let next = 0;
    for (const own of made) if (next < gold.length && isSame(own, gold[next] as Call)) next += 1;
    return { score: scored(Number(next === gold.length)) };
  },
});

/** Chat services allow no dots in names, so that functions with dots are shown to them with "_". */
function plainName({ name }: Call): string {
  return name.replaceAll(".", "_");
}

/** Of the whole episode, in order. Arguments that are no object are those of no right call. */
export function callsIn({ steps }: Pick<Trajectory, "steps">): readonly (Call | undefined)[] {
  return steps.flatMap((step) => callsOf(step).map(readCall));
}

function readCall(value: unknown): Call | undefined {
  const { name, arguments: given = {} } = (isObject(value) ? value : {}) as Partial<Record<string, unknown>>;
  const args = typeof given === "string" ? parseObject(given) : given;
  return typeof name === "string" && isObject(args) ? { name, arguments: args } : undefined;
}

function isEqual(own: Call, right: Call): boolean {
  return canonicalJson(own.arguments) === canonicalJson(right.arguments);
}

/** The rule of the Berkeley Function-Calling Leaderboard, with values compared in depth. */
function isAnyOf({ arguments: own }: Call, { arguments: right }: Call): boolean {
  if (Object.keys(own).some((name) => !Object.hasOwn(right, name))) return false;
  return Object.entries(right).every(([name, allowed]) => {
    const list: readonly Json[] = Array.isArray(allowed) ? allowed : [allowed];
    if (!Object.hasOwn(own, name)) return list.includes("");
    return list.some((one) => isAlike(own[name] as Json, one));
  });
}

/** A value against one that is right. In an object each field has a list of right values again. */
function isAlike(own: Json, right: Json): boolean {
  if (typeof own === "string" && typeof right === "string") return plain(own) === plain(right);
  if (Array.isArray(own) && Array.isArray(right)) {
    return own.length === right.length && own.every((one: Json, at) => isAlike(one, right[at] as Json));
  }
  if (isObject(own) && isObject(right)) return isAnyOf({ name: "", arguments: own }, { name: "", arguments: right });
  return own === right;
}

function plain(text: string): string {
  return text
    .replaceAll(/[ ,./\-_*^]/g, "")
    .toLowerCase()
    .replaceAll("'", '"');
}
