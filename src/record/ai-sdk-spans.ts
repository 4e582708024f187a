/**
 * The spans of the AI SDK's own telemetry (its `ai.*` names, versions 4 to 6) under the names of the GenAI conventions,
 * so that one reader serves both. Metadata named run, task, group, env and agent are the ids of a recording.
 */
import { writeOtelMessage, writeOtelReply } from "../store/formats/otel-messages.ts";
import { structured, textAttribute, type Attributes, type Span } from "../store/formats/otlp.ts";
import type { Json } from "../trajectory/index.ts";
import { readCallOptions, readResult } from "./recorder/ai-sdk.ts";
import { isObject } from "./recorder/lines.ts";

const METADATA: Readonly<Record<string, string>> = {
  run: "limbeck.trajectory.id",
  task: "limbeck.task.id",
  group: "limbeck.group",
  env: "limbeck.task.env",
  agent: "gen_ai.agent.name",
};

/** The span itself when it is not one of the AI SDK's. */
export function fromAiSdk(span: Span): Span {
  const { attributes } = span;
  const operation = textAttribute(attributes, "ai.operationId");
  if (operation === undefined || attributes["gen_ai.operation.name"] !== undefined) return span;
  if (/^ai\.(generate|stream)(Text|Object)$/.test(operation)) return named(span, agentFields(attributes));
  if (/^ai\.(generate|stream)(Text|Object)\.do(Generate|Stream)$/.test(operation))
    return named(span, callFields(attributes));
  return operation === "ai.toolCall" ? named(span, toolFields(attributes)) : span;
}

function named(span: Span, fields: Readonly<Record<string, Json | undefined>>): Span {
  const known = Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  // An error inside a stream is no error of the span.
  const failed = span.error === undefined && span.attributes["ai.response.finishReason"] === "error";
  return {
    ...span,
    attributes: { ...span.attributes, ...Object.fromEntries(known) },
    ...(failed ? { error: "The provider reported an error in its answer." } : {}),
  };
}

function agentFields(attributes: Attributes): Record<string, Json | undefined> {
  const metadata = Object.entries(METADATA).map(([name, ours]): [string, Json | undefined] => [
    ours,
    attributes[`ai.telemetry.metadata.${name}`],
  ]);
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": textAttribute(attributes, "ai.telemetry.functionId"),
    "gen_ai.request.model": textAttribute(attributes, "ai.model.id"),
    ...Object.fromEntries(metadata.filter(([, value]) => value !== undefined)),
  };
}

function callFields(attributes: Attributes): Record<string, Json | undefined> {
  const tools = attributes["ai.prompt.tools"];
  const asked = readCallOptions(
    {
      prompt: structured(attributes["ai.prompt.messages"]) ?? [],
      tools: Array.isArray(tools) ? tools.map((tool: Json) => structured(tool) ?? null) : [],
    },
    undefined,
  );
  const calls = structured(attributes["ai.response.toolCalls"]);
  const { reply } = readResult({
    content: [
      { type: "reasoning", text: attributes["ai.response.reasoning"] ?? "" },
      { type: "text", text: attributes["ai.response.text"] ?? attributes["ai.response.object"] ?? "" },
      ...(Array.isArray(calls) ? calls.filter(isObject).map((call) => ({ ...call, type: "tool-call" })) : []),
    ],
  });
  // A call that failed has said nothing at all, not an empty word.
  const isAnswered = Object.keys(attributes).some((name) => name.startsWith("ai.response."));
  const cached = attributes["ai.usage.cachedInputTokens"];
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.input.messages": asked.messages.map(writeOtelMessage),
    "gen_ai.output.messages": reply === undefined || !isAnswered ? undefined : [writeOtelReply(reply)],
    "gen_ai.tool.definitions": asked.tools,
    "gen_ai.usage.cache_read.input_tokens": cached === 0 ? undefined : cached,
  };
}

function toolFields(attributes: Attributes): Record<string, Json | undefined> {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": attributes["ai.toolCall.name"],
    "gen_ai.tool.call.id": attributes["ai.toolCall.id"],
    "gen_ai.tool.call.arguments": attributes["ai.toolCall.args"],
    "gen_ai.tool.call.result": structuredText(attributes["ai.toolCall.result"]),
  };
}

/** The telemetry writes every result as JSON; a result that was a text is one again. */
function structuredText(value: Json | undefined): Json | undefined {
  const inner = structured(value);
  return typeof inner === "string" ? inner : value;
}
