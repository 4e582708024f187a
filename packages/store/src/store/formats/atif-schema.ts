/**
 * The fields of an ATIF document, strictly: ATIF allows unknown ones only under `extra`. Optional fields may be null, as
 * some writers leave them. Arguments that are not an object are against the rules, yet they are what models produce, so
 * a text is read too.
 */
import { z } from "zod";
import { isObject, type JsonObject } from "limbeck-base/base/json";
import { faultAt, type FileLine } from "./fault.ts";

/** The version that is written, and the newest whose fields are known. */
export const ATIF_VERSION = "ATIF-v1.7";
const NEWEST_MINOR = 7;

const jsonObject = z.record(z.string(), z.json());
const extra = jsonObject.nullish();
const text = z.string().nullish();
const count = z.number().int().nonnegative().nullish();
const tokens = z.array(z.number().int().min(-2_147_483_648).max(2_147_483_647)).nullish();

const Part = z.union([
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({
    type: z.literal("image"),
    source: z.strictObject({ media_type: z.string(), path: z.string() }),
  }),
]);
const Content = z.union([z.string(), z.array(Part)]);

const ToolCall = z.strictObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: z.union([jsonObject, z.string()]),
  extra,
});

const Result = z.strictObject({
  source_call_id: text,
  content: Content.nullish(),
  subagent_trajectory_ref: z.json().nullish(),
  extra,
});

const Metrics = z.strictObject({
  prompt_tokens: count,
  completion_tokens: count,
  cached_tokens: count,
  cost_usd: z.number().nullish(),
  prompt_token_ids: tokens,
  completion_token_ids: tokens,
  logprobs: z.array(z.number()).nullish(),
  extra,
});

const Step = z.strictObject({
  step_id: z.number().int(),
  timestamp: text,
  source: z.enum(["system", "user", "agent"]),
  message: Content,
  model_name: text,
  reasoning_effort: z.union([z.string(), z.number()]).nullish(),
  reasoning_content: text,
  tool_calls: z.array(ToolCall).nullish(),
  observation: z.strictObject({ results: z.array(Result) }).nullish(),
  metrics: Metrics.nullish(),
  is_copied_context: z.boolean().nullish(),
  llm_call_count: count,
  extra,
});

const Agent = z.strictObject({
  name: z.string(),
  version: z.string(),
  model_name: text,
  tool_definitions: z.array(jsonObject).nullish(),
  extra,
});

const Document = z.strictObject({
  schema_version: z.string(),
  session_id: text,
  trajectory_id: text,
  agent: Agent,
  steps: z.array(Step).min(1),
  notes: text,
  final_metrics: z
    .strictObject({
      total_prompt_tokens: count,
      total_completion_tokens: count,
      total_cached_tokens: count,
      total_cost_usd: z.number().nullish(),
      total_steps: count,
      extra,
    })
    .nullish(),
  continued_trajectory_ref: text,
  subagent_trajectories: z.array(z.unknown()).nullish(),
  extra,
});

export type AtifDocument = z.output<typeof Document>;
export type AtifStep = z.output<typeof Step>;
export type AtifContent = z.output<typeof Content>;
export type AtifResult = z.output<typeof Result>;
export type AtifToolCall = z.output<typeof ToolCall>;
export type AtifMetrics = z.output<typeof Metrics>;

/** Checks one document; embedded sub-agents are checked when they are read. Throws with the place in the message. */
export function checkAtif(value: unknown, place: FileLine): AtifDocument {
  if (!isObject(value)) throw faultAt(place, "bad-atif", "an ATIF trajectory must be a JSON object.");
  const minor = checkVersion(value, place);
  const parsed = Document.safeParse(value);
  if (!parsed.success) {
    const newer =
      minor > NEWEST_MINOR ? ` It is version 1.${minor}; fields after ${ATIF_VERSION} are not known here.` : "";
    throw faultAt(place, "bad-atif", `not an ATIF trajectory: ${z.prettifyError(parsed.error)}.${newer}`);
  }
  // The checked value itself, not zod's copy: what it says must be comparable field by field, nulls included.
  const document = value as unknown as AtifDocument;
  const fault = ruleFault(document);
  if (fault !== undefined) throw faultAt(place, "bad-atif", fault);
  return document;
}

/** Whether a document keeps to the letter of ATIF, as everything that is written must. */
export function isStrictAtif(document: AtifDocument): boolean {
  const objects = document.steps.every((step) => !step.tool_calls?.some((call) => typeof call.arguments === "string"));
  return objects && Document.safeParse(document).success && ruleFault(document) === undefined;
}

function checkVersion(value: JsonObject, place: FileLine): number {
  const version = value["schema_version"];
  const minor = typeof version === "string" ? /^ATIF-v1\.(\d+)$/.exec(version)?.[1] : undefined;
  if (minor !== undefined) return Number(minor);
  const message = `schema_version is ${JSON.stringify(version ?? null)}; known are ATIF-v1.0 to ${ATIF_VERSION}.`;
  throw faultAt(place, "atif-version", message);
}

/** The first broken rule that the shape of the fields cannot express. */
function ruleFault(document: AtifDocument): string | undefined {
  for (const [index, step] of document.steps.entries()) {
    if (step.step_id !== index + 1) return `step_id ${step.step_id} stands where ${index + 1} belongs.`;
    const where = `step ${step.step_id}`;
    const calls = new Set(step.tool_calls?.map((call) => call.tool_call_id));
    for (const result of step.observation?.results ?? []) {
      const id = result.source_call_id ?? undefined;
      if (id !== undefined && !calls.has(id)) {
        return `${where}: source_call_id ${JSON.stringify(id)} names no tool call of the step.`;
      }
    }
    const { completion_token_ids: ids, logprobs } = step.metrics ?? {};
    if (logprobs && logprobs.length !== (ids?.length ?? logprobs.length)) {
      return `${where}: ${logprobs.length} logprobs for ${ids?.length} completion_token_ids.`;
    }
    const own = step.reasoning_content ?? step.tool_calls ?? step.metrics ?? step.model_name;
    if (step.source !== "agent" && own !== undefined && own !== null) {
      return `${where}: only agent steps may have model_name, reasoning_content, tool_calls or metrics.`;
    }
    if (step.llm_call_count === 0 && (step.metrics ?? step.reasoning_content ?? undefined) !== undefined) {
      return `${where}: llm_call_count is 0, so metrics and reasoning_content may not be there.`;
    }
  }
  return undefined;
}
