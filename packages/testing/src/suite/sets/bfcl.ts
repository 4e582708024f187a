/**
 * The Berkeley Function-Calling Leaderboard, version 4: the categories of one turn whose calls are compared, and those where no
 * function fits. Not here: Java and JavaScript (their arguments are texts of those languages), turns, memory and the web (they
 * need the leaderboard's own classes).
 */
import { join } from "node:path";
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { isThere } from "limbeck-base/base/files";
import { isObject, type Json, type JsonObject } from "limbeck-base/base/json";
import type { Call } from "../graders/calls.ts";
import type { SuiteInput } from "../suite.ts";
import { readRows, type PublicSet } from "./set.ts";

const CALLED = [
  "simple_python",
  "multiple",
  "parallel",
  "parallel_multiple",
  "live_simple",
  "live_multiple",
  "live_parallel",
  "live_parallel_multiple",
] as const;
/** Right is to call nothing. */
const UNCALLED = ["irrelevance", "live_irrelevance"] as const;

const object = z.record(z.string(), z.json());
const question = z.object({
  id: z.string().min(1),
  question: z.array(z.array(z.object({ role: z.string(), content: z.string() })).min(1)).min(1),
  function: z.array(object),
});
const possible = z.object({ id: z.string(), ground_truth: z.array(z.record(z.string(), object)) });

const from = "ShishirPatil/gorilla, berkeley-function-call-leaderboard/bfcl_eval/data";

type Task = SuiteInput["tasks"][number];

export const bfcl: PublicSet = {
  id: "bfcl",
  meaning: "Function calls by name and arguments, and questions that no function answers.",
  from,
  load: async (folder) => {
    const tasks: Task[] = [];
    for (const category of [...CALLED, ...UNCALLED]) tasks.push(...(await tasksOf(folder, category)));
    if (tasks.length > 0) {
      const grader = { use: "calls", options: { values: "any-of" } };
      return { suite: "bfcl", version: "4", meaning: "BFCL v4, single turn, by calls.", grader, tasks };
    }
    throw new EngineError(
      "file-missing",
      `${JSON.stringify(folder)} has no BFCL_v4_simple_python.json; it is from ${from}.`,
    );
  },
};

async function tasksOf(folder: string, category: (typeof CALLED | typeof UNCALLED)[number]): Promise<Task[]> {
  const name = `BFCL_v4_${category}.json`;
  if (!(await isThere(join(folder, name)))) return [];
  const rows = await readRows(folder, name, question);
  const called = (CALLED as readonly string[]).includes(category);
  const known = called ? await readRows(folder, `possible_answer/${name}`, possible) : [];
  const answers = new Map(known.map(({ id, ground_truth }) => [id, ground_truth]));
  return rows.map(({ id, question: [messages = []], function: tools }) => {
    const truth = answers.get(id);
    if (called && truth === undefined) throw new EngineError("bad-row", `"possible_answer/${name}" has no "${id}".`);
    const gold = (truth ?? []).flatMap((one) => Object.entries(one).map(([of, given]) => rightCall(of, given)));
    return {
      id,
      prompt: messages.map(({ content }) => content).join("\n\n"),
      tools: tools.map((tool) => asSchema(tool) as JsonObject),
      answer: gold as unknown as Json,
      solution: called ? JSON.stringify(gold.map(chosen)) : "None of these functions fits.",
      buckets: [category],
    };
  });
}

/**
 * What is right for each argument. Where the set has no value at all it means the empty list; the leaderboard's own check lets
 * nothing pass there (two questions of live_simple).
 */
function rightCall(name: string, given: JsonObject): Call {
  const filled = Object.entries(given).map(([of, allowed]) => [of, isNone(allowed) ? [[]] : allowed] as const);
  return { name, arguments: Object.fromEntries(filled) };
}

function isNone(allowed: Json | undefined): boolean {
  return Array.isArray(allowed) && allowed.length === 0;
}

/** A call with the first value that is right for each argument; what may be left out is, where nothing else is named. */
function chosen({ name, arguments: given }: Call): Call {
  return { name, arguments: chosenFields(given) };
}

function chosenFields(given: JsonObject): JsonObject {
  const picked = Object.entries(given).flatMap(([name, allowed]) => {
    const list: readonly Json[] = Array.isArray(allowed) ? allowed : [allowed];
    const value = list.find((one) => one !== "");
    return value === undefined ? [] : [[name, chosenValue(value)] as const];
  });
  return Object.fromEntries(picked);
}

function chosenValue(value: Json): Json {
  if (Array.isArray(value)) return value.map((one: Json) => chosenValue(one));
  return isObject(value) ? chosenFields(value) : value;
}

const TYPES: Readonly<Record<string, string>> = { dict: "object", float: "number", tuple: "array" };

/** The set writes types as Python calls them; chat services read JSON schema. */
function asSchema(value: Json): Json {
  if (Array.isArray(value)) return value.map((one: Json) => asSchema(one));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => {
      if (name !== "type" || typeof one !== "string") return [[name, asSchema(one)]];
      return one === "any" ? [] : [[name, TYPES[one] ?? one]];
    }),
  );
}
