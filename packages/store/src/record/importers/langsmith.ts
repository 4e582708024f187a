/**
 * LangSmith: runs as the export and the API give them, one on a line or in a list, also nested by `child_runs`. Read from the
 * documentation of the run format (docs.langchain.com, 2026).
 */
import { scored } from "limbeck-base/trajectory/score";
import type { JsonObject } from "limbeck-base/base/json";
import type { Message, Reward } from "limbeck-base/trajectory/trajectory";
import { anyMessages } from "./any-message.ts";
import { TraceReader, type CallSpan, type TraceFacts } from "./call-spans.ts";
import { sessionSource } from "./session-source.ts";
import { countOf, objectsOf } from "limbeck-recorder/lines";
import { numberField, objectField, restOf, resultText, textField, timeField, usageFrom } from "./fields.ts";

const FORMAT = "langsmith";

export const langsmith = sessionSource({
  id: FORMAT,
  title: "LangSmith",
  versions: "the run format as documented in 2026; not tried with a file of the service",
  reads: "runs of models as steps, runs of tools, tokens, costs, models, errors, feedback as rewards",
  leaves: "nothing of a run; inputs and outputs that were stored elsewhere (S3 addresses) are not fetched",
  files: /\.jsonl?$/,
  sign: /"run_type"\s*:/,
  joinsFiles: true,
  open: () => new TraceReader(FORMAT, runsOf),
});

function runsOf(run: JsonObject): (CallSpan | TraceFacts)[] {
  const type = textField(run["run_type"]);
  const id = textField(run["id"]);
  if (type === undefined || id === undefined) throw new TypeError('a run has "id" and "run_type"');
  const trace = textField(run["trace_id"]) ?? id;
  const below = objectsOf(run["child_runs"]).flatMap((child) => runsOf({ ...child, trace_id: trace }));
  const root = trace === id ? [rootOf(run, trace)] : [];
  return [...root, spanOf(run, type, trace), ...below];
}

function rootOf(run: JsonObject, trace: string): TraceFacts {
  const stats = objectField(run["feedback_stats"]) ?? {};
  const rewards = Object.entries(stats).flatMap(([name, value]): Reward[] => {
    const average = numberField(objectField(value)?.["avg"]);
    return average === undefined || name === "" ? [] : [{ name, source: "feedback", score: scored(average) }];
  });
  return { trace, agent: textField(run["name"]), rewards };
}

function spanOf(run: JsonObject, type: string, trace: string): CallSpan {
  const inputs = objectField(run["inputs"]) ?? {};
  const outputs = objectField(run["outputs"]) ?? {};
  const kind = type === "llm" ? "model" : type === "tool" ? "tool" : "other";
  const metadata = objectField(objectField(run["extra"])?.["metadata"]);
  const params = objectField(objectField(run["extra"])?.["invocation_params"]);
  const read = kind === "model" ? ["inputs", "outputs"] : kind === "tool" ? ["outputs"] : [];
  const rest = restOf(run, "id", "trace_id", "run_type", "name", "child_runs", ...read) ?? {};
  const usage =
    objectField(outputs["usage_metadata"]) ?? objectField(objectField(outputs["llm_output"])?.["token_usage"]);
  return {
    trace,
    kind,
    name: textField(run["name"]) ?? type,
    from: timeField(run["start_time"]),
    to: timeField(run["end_time"]),
    error: textField(run["error"]),
    input: kind === "tool" ? [] : inputOf(inputs),
    output: kind === "tool" ? undefined : outputOf(outputs),
    model: textField(metadata?.["ls_model_name"]) ?? textField(params?.["model"] ?? params?.["model_name"]),
    usage: usageFrom(
      countOf(run["prompt_tokens"]) ?? usage?.["input_tokens"] ?? usage?.["prompt_tokens"],
      countOf(run["completion_tokens"]) ?? usage?.["output_tokens"] ?? usage?.["completion_tokens"],
      objectField(usage?.["input_token_details"])?.["cache_read"],
      run["total_cost"],
    ),
    call:
      textField(objectField(run["extra"])?.["tool_call_id"]) ??
      textField(objectField(outputs["output"])?.["tool_call_id"]),
    result: kind === "tool" ? resultOf(outputs) : undefined,
    rest: { run: textField(run["id"]) ?? "", ...rest, ...(kind === "model" ? unread(inputs, outputs) : {}) },
  };
}

/** Fields of inputs and outputs beside the messages. */
function unread(inputs: JsonObject, outputs: JsonObject): JsonObject {
  const given = restOf(inputs, "messages", "input", "prompt", "prompts");
  const made = restOf(outputs, "messages", "generations", "choices", "output", "content", "role");
  return { ...(given === undefined ? {} : { inputs: given }), ...(made === undefined ? {} : { outputs: made }) };
}

function inputOf(inputs: JsonObject): Message[] {
  const messages = anyMessages(inputs["messages"] ?? inputs["input"], FORMAT);
  if (messages.length > 0) return messages;
  const prompts = Array.isArray(inputs["prompts"]) ? inputs["prompts"] : [];
  const text = textField(inputs["input"]) ?? textField(inputs["prompt"]) ?? textField(prompts[0]);
  return text === undefined ? [] : [{ role: "user", content: text }];
}

/** LangChain's generations, the choices of a chat completion, a list of messages, or one. */
function outputOf(outputs: JsonObject): Message | undefined {
  const [first] = Array.isArray(outputs["generations"]) ? outputs["generations"] : [];
  const generation = objectField(first) ?? objectField(Array.isArray(first) ? first[0] : undefined);
  const [choice] = objectsOf(outputs["choices"]);
  const one = generation?.["message"] ?? choice?.["message"] ?? outputs["output"];
  const many = Array.isArray(outputs["messages"]) ? outputs["messages"] : [];
  const candidates = [one, many.at(-1), outputs].flatMap((item) => anyMessages([item], FORMAT));
  const message = candidates.find(({ role }) => role === "assistant");
  if (message !== undefined) return message;
  const text = textField(generation?.["text"]) ?? textField(outputs["output"]) ?? textField(outputs["content"]);
  return text === undefined ? undefined : { role: "assistant", content: text };
}

function resultOf(outputs: JsonObject): string | undefined {
  const inner = objectField(outputs["output"]);
  const given = inner?.["content"] ?? objectField(inner?.["kwargs"])?.["content"] ?? outputs["output"];
  return given === undefined
    ? Object.keys(outputs).length === 0
      ? undefined
      : resultText(outputs)
    : resultText(given);
}
