/** Calls of an agent as spans in the names of the GenAI conventions, sent over OTLP/HTTP as an instrumentation does. */
import { randomBytes } from "node:crypto";
import { writeOtelMessage, writeOtelReply } from "../../packages/store/src/store/formats/otel-messages.ts";
import { writeAttributes } from "../../packages/store/src/store/formats/otlp.ts";
import type { Json, JsonObject } from "../../packages/base/src/base/json.ts";
import { SYSTEM, TOOL, type BareCall } from "./one-script.ts";

interface SpansTo {
  /** The proxy. */
  readonly to: string;
  readonly agent: string;
  readonly run: string | undefined;
}

/** One trace: the agent's span, and one for every call. What the agent throws is its error. */
export async function sendSpans(
  { to, agent, run }: SpansTo,
  work: (onCall: (call: BareCall) => void) => Promise<void>,
): Promise<void> {
  const traceId = randomBytes(16).toString("hex");
  const root = randomBytes(8).toString("hex");
  const spans: JsonObject[] = [];
  let time = BigInt(Date.now()) * 1_000_000n;
  const add = (name: string, fields: Readonly<Record<string, Json | undefined>>, error: string | undefined): void => {
    const start = (time += 1000n);
    const end = (time += 1000n);
    spans.push({
      traceId,
      name,
      startTimeUnixNano: `${start}`,
      endTimeUnixNano: `${end}`,
      ...(name === "agent" ? { spanId: root } : { spanId: randomBytes(8).toString("hex"), parentSpanId: root }),
      attributes: writeAttributes(fields),
      ...(error === undefined ? {} : { status: { code: 2, message: error } }),
    });
  };
  const problem = await work(({ messages, reply, error }) => {
    const usage = reply?.toolCalls === undefined ? [120, 14] : [80, 30];
    add(
      "chat",
      {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "scripted",
        "gen_ai.system_instructions": [{ type: "text", content: SYSTEM }],
        "gen_ai.input.messages": messages.slice(1).map(writeOtelMessage),
        "gen_ai.tool.definitions": [{ type: "function", function: TOOL }],
        ...(reply === undefined ? {} : { "gen_ai.output.messages": [writeOtelReply(reply)] }),
        ...(error === undefined
          ? { "gen_ai.usage.input_tokens": usage[0], "gen_ai.usage.output_tokens": usage[1] }
          : { "error.type": error.type }),
      },
      error?.message,
    );
  }).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  add(
    "agent",
    {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agent,
      ...(run === undefined ? {} : { "limbeck.trajectory.id": run, "limbeck.task.id": run }),
    },
    problem,
  );
  await fetch(`${to}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
  });
}
