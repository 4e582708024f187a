/**
 * A suite asks every policy the same. One schema for files and code: frozen tasks (a world with its settings, or a prompt
 * with an answer), who grades them, the tags by which the report is cut, the poles of values, and what a policy may have
 * trained on. A digest of all of it stands in the report.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { canonicalJson, isObject, type Json, type JsonObject } from "limbeck-base/base/json";
import { unknownName } from "limbeck-base/base/registry";
import { cleanLine } from "limbeck-base/base/clean-text";

export const MOST_TASKS = 20_000;
const LONGEST_NAME = 200;
const LONGEST_TEXT = 200_000;

const name = z.string().min(1).max(LONGEST_NAME);
const text = z.string().max(LONGEST_TEXT);
const names = z.array(name).max(1_000);
const json = z.json() as unknown as z.ZodType<Json>;

const graderUse = z.union([
  name,
  z.strictObject({ use: name, as: name.optional(), options: z.record(name, json).optional() }),
]);
/** Several are a chain: their scores are multiplied, so that each has to hold. */
const graders = z.union([graderUse, z.array(graderUse).min(1).max(20)]);

const pole = z.strictObject({ name, grader: graders });

/** What is new in a task for a policy that trained on what `seen` names, the widest first. */
export const NEWNESS = ["world", "template", "instance", "none"] as const;
export type Newness = (typeof NEWNESS)[number];

const taskSchema = z.strictObject({
  /** Of one task; of several (`count`) what their ids begin with. */
  id: name,
  /** The question of a task of one answer. */
  prompt: text.min(1).optional(),
  /** Functions that may be called in the answer. */
  tools: z.array(z.record(z.string(), json)).max(200).optional(),
  /** Or a world, and which of its tasks. */
  world: name.optional(),
  options: z.record(name, json).optional(),
  split: name.optional(),
  at: z.int().min(0).max(1e9).optional(),
  count: z.int().min(1).max(MOST_TASKS).optional(),
  maxSteps: z.int().min(1).max(10_000).optional(),
  /** Default: the suite's. */
  grader: graders.optional(),
  /** What graders compare with; each says what it takes. Of a value {low, high}, one for the graders of each pole. */
  answer: json.optional(),
  /** What the policy "perfect" says; in a world its actions, one a line. Default there: what the world's expert does. */
  solution: text.optional(),
  /** Graded by the poles of this value in the place of a grader. */
  value: name.optional(),
  buckets: z.array(name).max(50).optional(),
  /** Tasks that ask the same in other words share this name: consistency is counted over them. */
  variantOf: name.optional(),
  /** The mould that it was made from. Default: the family that the world names. */
  template: name.optional(),
  /** What is new in it. Default: by `seen`. */
  unseen: z.enum(NEWNESS).optional(),
});

export const suiteSchema = z.strictObject({
  suite: name,
  version: name.default("1"),
  meaning: z.string().max(2_000).default(""),
  /** Everything that is drawn depends on it. */
  seed: z.int().min(0).default(0),
  grader: graders.default("outcome"),
  values: z.record(name, z.strictObject({ meaning: text.optional(), low: pole, high: pole })).default({}),
  /** What a policy may have trained on. */
  seen: z
    .strictObject({ worlds: names.default([]), templates: names.default([]), instances: names.default([]) })
    .optional(),
  /** The digest of the tasks as they were opened, from a report: a world that has changed since is an error. */
  frozen: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "64 hexadecimal digits")
    .optional(),
  tasks: z.array(taskSchema).min(1).max(MOST_TASKS),
});

export type Suite = z.output<typeof suiteSchema>;
export type SuiteInput = z.input<typeof suiteSchema>;
export type SuiteTask = Suite["tasks"][number];
export type GraderUse = z.output<typeof graderUse>;
export type Graders = Suite["grader"];

/** Of the world alone, of the prompt alone. */
const OF_WORLD = ["options", "split", "at", "count", "maxSteps"] as const;
const OF_PROMPT = ["tools"] as const;

/** A suite from data; the error names the file, the field, its value and what is allowed. */
export function readSuite(value: unknown, shown = "the suite"): Suite {
  const parsed = suiteSchema.safeParse(value);
  if (!parsed.success) {
    const faults = parsed.error.issues.slice(0, 5).map((issue) => `${fieldAt(value, issue.path)}: ${issue.message}`);
    throw badSuite(shown, faults.join("; "));
  }
  const suite = parsed.data;
  const ids = new Set<string>();
  for (const [at, task] of suite.tasks.entries()) {
    const fault = faultOf(task, suite);
    if (fault !== undefined) throw badSuite(shown, `tasks.${at} (${cleanLine(task.id)}): ${fault}`);
    if (ids.has(task.id)) throw badSuite(shown, `tasks.${at}.id is ${JSON.stringify(task.id)}, which is there twice`);
    ids.add(task.id);
  }
  return suite;
}

function faultOf(task: SuiteTask, { values }: Suite): string | undefined {
  if ((task.prompt === undefined) === (task.world === undefined)) return "it needs either `prompt` or `world`";
  const stray = (task.world === undefined ? OF_WORLD : OF_PROMPT).find((field) => task[field] !== undefined);
  if (stray !== undefined) return `\`${stray}\` belongs to ${task.world === undefined ? "a world" : "a prompt"}`;
  if (task.value === undefined) return undefined;
  if (!Object.hasOwn(values, task.value)) return unknownName(task.value, Object.keys(values), "value").message;
  if (task.answer !== undefined && !isPoles(task.answer)) return "with `value`, `answer` has to be {low, high}";
  return task.grader === undefined ? undefined : "`value` is graded by its poles, so that `grader` has no place";
}

function isPoles(answer: Json): answer is JsonObject {
  return isObject(answer) && Object.keys(answer).every((name) => name === "low" || name === "high");
}

/** What the graders of a task are, each chain with its answer: one, or one for each pole of its value. */
export function gradersOf(
  { grader, values }: Pick<Suite, "grader" | "values">,
  task: SuiteTask,
): readonly { readonly grader: Graders; readonly answer: Json | undefined }[] {
  const value = task.value === undefined ? undefined : values[task.value];
  if (value === undefined) return [{ grader: task.grader ?? grader, answer: task.answer }];
  const answers = task.answer as JsonObject | undefined;
  return [
    { grader: value.low.grader, answer: answers?.["low"] },
    { grader: value.high.grader, answer: answers?.["high"] },
  ];
}

function fieldAt(value: unknown, path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the whole";
  let found: unknown = value;
  for (const key of path) found = typeof found === "object" && found !== null ? (found as never)[key] : undefined;
  const shown = found === undefined ? "is not there" : `is ${cleanLine(JSON.stringify(found).slice(0, 80))}`;
  return `${path.map(String).join(".")} ${shown}`;
}

function badSuite(shown: string, fault: string): EngineError {
  return new EngineError("bad-input", `${shown} is not a suite: ${fault}.`);
}

/** The names of all graders that it uses. */
export function gradersIn(suite: Suite): ReadonlySet<string> {
  const used = suite.tasks.flatMap((task) => gradersOf(suite, task).flatMap(({ grader }) => grader));
  return new Set(used.map((use) => (typeof use === "string" ? use : use.use)));
}

/** SHA-256 of equal data is equal, however the file was written. */
export function digestOf(value: Json | Suite | readonly JsonObject[]): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
