/** The batch as JSON, for files and pipes: its schema, and the way in and out. */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { Json } from "limbeck-base/base/json";
import type { Parent } from "limbeck-base/trajectory/trajectory";
import { entry } from "./columns.ts";
import type { CreditBatch, CreditResult, CreditRow, Term } from "./credit.ts";
import { jsonName, LOGPROB_NAMES, LOGPROBS, type Outcome, rowFault, type RowLogprobs } from "./row.ts";
import { SignalsSchema } from "./signals.ts";

/** Null is how some languages write absent. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);
const flag = z.union([z.boolean(), z.literal([0, 1]).transform((value) => value === 1)]);
const tokens = (what: string) =>
  optional(z.array(z.number())).describe(`${what}. As many as the mask has tokens, or as it has ones.`);

const ParentSchema = z
  .union([
    z.string(),
    z.strictObject({ trajectory: z.string(), step: z.int().nonnegative(), token: z.int().nonnegative().optional() }),
  ])
  .describe("The trajectory this one branched from, and the step of it that the branch's first step replaces.");

const RowSchema = z
  .looseObject({
    task: z.string().min(1).describe("Rows of one task are compared with each other."),
    trajectory: z.string().min(1),
    step: z.int().nonnegative().describe("Position in the trajectory, from 0 and without holes."),
    state: optional(z.string()).describe("Equal texts are equal states, within a task."),
    reward: optional(z.number()).describe("Reward of the step; absent where nobody scored it."),
    valid: flag.default(true).describe("False where the environment could not understand the action."),
    mask: z.array(z.union([z.literal(0), z.literal(1)])).describe("One entry for each response token; 1: trained on."),
    logprobs: optional(
      z.strictObject(Object.fromEntries(LOGPROB_NAMES.map((name) => [jsonName(name), tokens(LOGPROBS[name])]))),
    ).describe("Log-probabilities of the response tokens that the mask covers; never of the prompt."),
    useEpisodeSkill: optional(flag).describe(
      "Whether the row has an episode skill. Default: whether it has that teacher.",
    ),
    useStepSkill: optional(flag).describe("Whether the row has a step skill. Default: whether it has that teacher."),
    tokenRewards: tokens("Rewards of tokens; they replace the outcome on the last trained token"),
    values: tokens("Estimates of a value head"),
    greedyScore: optional(z.number()).describe("Score of one greedy rollout of the same task."),
    truncated: optional(flag).describe("Whether a budget cut the response or the episode off."),
    parent: optional(ParentSchema),
    turns: optional(z.array(z.strictObject({ start: z.int().nonnegative(), end: z.int().nonnegative() }))).describe(
      "Turns of a row that holds a conversation: token positions, end exclusive.",
    ),
    gold: z.json().optional().describe("The reference answer; null says that there is none."),
    path: optional(z.array(z.union([z.string(), z.number().transform(String)]))).describe(
      "Nodes from the root of a tree to this row.",
    ),
    signals: optional(SignalsSchema),
  })
  .describe("One prompt with one response. Other fields are allowed and not read.");

const BatchSchema = z
  .looseObject({
    rows: z.array(RowSchema),
    trajectories: z.record(
      z.string(),
      z.looseObject({
        outcome: z.number().describe("What the trajectory earned. One that nobody scored is left out of the batch."),
        success: flag.nullable().default(null),
        greedyScore: optional(z.number()).describe("For all its rows."),
      }),
    ),
  })
  .describe("Input of `limbeck credit`.");

type RowJson = z.infer<typeof RowSchema>;

/** The JSON schema of the input. */
export function batchSchema(): object {
  return z.toJSONSchema(BatchSchema, { io: "input" });
}

/**
 * Reads a batch; an error names the row and the field.
 *
 * @example
 * const rows = [{ task: "sum", trajectory: "a", step: 0, mask: [1, 1] }];
 * const batch = batchFromJson({ rows, trajectories: { a: { outcome: 1 } } });
 * console.log(batch.rows.length, batch.trajectories.get("a")?.outcome); // 1 1
 */
export function batchFromJson(json: unknown): CreditBatch {
  const parsed = BatchSchema.safeParse(json);
  if (!parsed.success) throw schemaFault(parsed.error.issues[0], json);
  const { rows, trajectories } = parsed.data;
  const firstStep = new Map<string, number>();
  for (const { trajectory, step } of rows) firstStep.set(trajectory, Math.min(step, firstStep.get(trajectory) ?? step));
  const greedy = new Map(Object.entries(trajectories).map(([id, entry]) => [id, entry.greedyScore]));
  return {
    rows: rows.map((row, index) => readRow(row, index, firstStep, greedy.get(row.trajectory))),
    trajectories: new Map<string, Outcome>(
      Object.entries(trajectories).map(([id, { outcome, success }]) => [id, { outcome, success }]),
    ),
  };
}

/** Parses the text of a batch. Python writes NaN and Infinity bare; they are named by row and field, not as bad syntax. */
export function batchFromText(text: string): CreditBatch {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (found) =>
      found.startsWith('"') ? found : `"${found}"`,
    );
    try {
      json = JSON.parse(quoted);
    } catch {
      throw new EngineError("bad-input", "The batch is not JSON.", { cause });
    }
  }
  return batchFromJson(json);
}

export function resultToJson(method: string, batch: CreditBatch, result: CreditResult): Record<string, Json> {
  const terms = Object.entries(result.terms).map(([name, term]): [string, Json] => [
    name,
    { weight: term.weight, values: batch.rows.map(({ mask }, at) => termValues(term, mask, at)) },
  ]);
  return {
    method,
    advantages: result.advantages.map((values) => Array.from(values, withoutMinus)),
    terms: Object.fromEntries(terms),
    metrics: result.metrics,
    ...(result.dropped.length === 0 ? {} : { dropped: [...result.dropped] }),
    ...(result.clipScales === undefined ? {} : { clipScales: [...result.clipScales] }),
    ...(result.returns === undefined ? {} : { returns: result.returns.map((values) => [...values]) }),
  };
}

function termValues(term: Term, mask: Uint8Array, at: number): number[] {
  const row = term.perRow?.[at] ?? 0;
  const values = term.perToken?.[at];
  return Array.from(mask, (trained, token) => (trained === 0 ? 0 : withoutMinus(row + (values?.[token] ?? 0))));
}

/** -0 is 0. */
function withoutMinus(value: number): number {
  return value === 0 ? 0 : value;
}

function readRow(
  row: RowJson,
  index: number,
  firstStep: ReadonlyMap<string, number>,
  greedy: number | undefined,
): CreditRow {
  const mask = Uint8Array.from(row.mask);
  const aligned = (field: string, values: readonly number[] | undefined) => align(row, index, field, mask, values);
  const logprobs = LOGPROB_NAMES.map((name) => {
    const json = jsonName(name);
    return [name, aligned(`logprobs.${json}`, row.logprobs?.[json])];
  });
  const { task, trajectory, step, valid, state, reward, useEpisodeSkill, useStepSkill } = row;
  const { truncated, turns, gold, path, signals } = row;
  return withoutUndefined({
    task,
    trajectory,
    step,
    valid,
    mask,
    state,
    reward,
    logprobs: row.logprobs && withoutUndefined(Object.fromEntries(logprobs) as RowLogprobs),
    tokenRewards: aligned("tokenRewards", row.tokenRewards),
    values: aligned("values", row.values),
    useEpisodeSkill,
    useStepSkill,
    greedyScore: row.greedyScore ?? greedy,
    truncated,
    parent: parentOf(row, firstStep),
    turns,
    gold,
    path,
    signals,
  });
}

/** A parent given by name alone: the branch replaces the step its own first row stands at. */
function parentOf({ parent, trajectory, step }: RowJson, firstStep: ReadonlyMap<string, number>): Parent | undefined {
  if (typeof parent === "string") return { trajectory: parent, step: firstStep.get(trajectory) ?? step };
  return parent && withoutUndefined(parent);
}

/** One value for each token, or one for each trained token, which are then put in their places. */
function align(
  row: RowJson,
  index: number,
  field: string,
  mask: Uint8Array,
  values: readonly number[] | undefined,
): Float64Array | undefined {
  if (values === undefined) return undefined;
  if (values.length === mask.length) return Float64Array.from(values);
  const trained = row.mask.reduce((sum: number, one) => sum + one, 0);
  if (values.length !== trained) {
    const fault = `has ${values.length} values; the mask has ${mask.length} tokens, ${trained} of them trained. Give one value for each of either.`;
    throw rowFault(row, index, field, fault);
  }
  let next = 0;
  return Float64Array.from(mask, (one) => (one === 1 ? entry(values, next++) : 0));
}

/** The first fault of the schema in the words of the other faults. */
function schemaFault(issue: z.core.$ZodIssue | undefined, json: unknown): EngineError {
  const path = issue?.path ?? [];
  const field = fieldOf(path);
  const found = path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], json);
  const shown = found === undefined ? "is missing" : `is ${clip(shownOf(found))}`;
  const fault = issue?.code === "unrecognized_keys" ? issue.message : `${shown}. ${issue?.message ?? ""}.`;
  if (path[0] === "rows" && typeof path[1] === "number") {
    const rows = (json as { rows: readonly unknown[] }).rows;
    const row = rows[path[1]] as { trajectory?: unknown; step?: unknown } | null;
    const name = { trajectory: typeof row?.trajectory === "string" ? row.trajectory : "?", step: Number(row?.step) };
    return rowFault(name, path[1], fieldOf(path.slice(2)) || "row", fault);
  }
  if (path[0] === "trajectories" && path.length > 1) {
    const id = String(path[1]);
    const name = fieldOf(path.slice(2)) || "outcome";
    return new EngineError("bad-input", `Trajectory ${JSON.stringify(id)}, field "${name}": ${fault}`, {
      details: { trajectory: id, field: name },
    });
  }
  return new EngineError("bad-input", `The batch, field "${field || "rows"}": ${fault}`, { details: { field } });
}

function fieldOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, at) => (typeof key === "number" ? `[${key}]` : `${at === 0 ? "" : "."}${String(key)}`))
    .join("");
}

/** What can be read may still be nested too deeply to be written. */
function shownOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "nested too deeply";
  }
}

function clip(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
