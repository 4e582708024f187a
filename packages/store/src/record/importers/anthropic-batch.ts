/**
 * Anthropic message batches: requests (`{custom_id, params}`) and results (`{custom_id, result: {type, message}}`).
 * The form is that of the public API as it was known in 2026; no real file was at hand.
 */
import type { JsonObject } from "limbeck-base/base/json";
import { readAnthropicMessages } from "../../store/formats/anthropic-messages.ts";
import { toOpenAiTool } from "limbeck-recorder/wire/parts";
import { BatchReader, type BatchRequest, type BatchResult } from "./batch-reader.ts";
import { sessionSource } from "./session-source.ts";
import { objectsOf } from "limbeck-recorder/lines";
import { objectField, restOf, textField, anthropicUsage } from "./fields.ts";

const FORMAT = "anthropic-batch";

export const anthropicBatch = sessionSource({
  id: FORMAT,
  title: "Anthropic batch",
  versions: "message batches as they were known in 2026, not looked up again; not tried with a file of the service",
  reads:
    "requests and results paired by custom_id where both lie in one folder, thinking, calls, tokens, models, failures",
  leaves: "nothing of a line",
  files: /\.jsonl$/,
  sign: /"custom_id"\s*:[^]*?"(?:params"\s*:\s*\{|result"\s*:\s*\{\s*"(?:type|message|error)")/,
  joinsFiles: true,
  open: () => new BatchReader({ format: FORMAT, request, result }),
});

function request(line: JsonObject): BatchRequest | undefined {
  const params = objectField(line["params"]);
  if (params === undefined) return undefined;
  const tools = objectsOf(params["tools"]).map(toOpenAiTool);
  return {
    messages: readAnthropicMessages(params["system"], objectsOf(params["messages"])),
    model: textField(params["model"]),
    tools: tools.length === 0 ? undefined : tools,
    rest: { ...restOf(line, "custom_id", "params"), ...restOf(params, "messages", "system", "tools", "model") },
  };
}

function result(line: JsonObject): BatchResult | undefined {
  const came = objectField(line["result"]);
  if (came === undefined) return undefined;
  const message = objectField(came["message"]);
  const usage = objectField(message?.["usage"]);
  const type = textField(came["type"]) ?? "unknown";
  const error = objectField(objectField(came["error"])?.["error"]) ?? objectField(came["error"]);
  const [reply] =
    message === undefined
      ? []
      : readAnthropicMessages(undefined, [{ role: "assistant", content: message["content"] ?? "" }]);
  return {
    reply,
    model: textField(message?.["model"]),
    usage: anthropicUsage(usage ?? {}),
    failure:
      type === "succeeded"
        ? undefined
        : { code: textField(error?.["type"]) ?? type, message: textField(error?.["message"]) ?? "" },
    rest: {
      ...restOf(line, "custom_id", "result"),
      type,
      ...(message === undefined ? {} : restOf(message, "role", "content", "model", "usage", "type")),
    },
  };
}
