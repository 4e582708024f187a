import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tries } from "../../../../../test/support/thorough.ts";
import { forest } from "../../../../../test/support/forests.ts";
import type { Json, JsonObject } from "limbeck-base/base/json";
import type { Message, Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { formatContract } from "./format.contract.ts";
import { readTrace } from "./otel-read.ts";
import { TraceCollector } from "./otel-traces.ts";
import { otel, toOtlp } from "./otel.ts";
import { readSpan, spansOf, writeAttributes } from "./otlp.ts";

const place = { file: "spans.jsonl", line: 1 };

function read(documents: readonly JsonObject[]): Trajectory[] {
  const collector = new TraceCollector();
  for (const document of documents)
    for (const span of spansOf(document, place)) collector.add(readSpan(span, place), place);
  return [...collector.rest()].flatMap(readTrace);
}

interface SpanSketch {
  readonly id: string;
  readonly under?: string;
  readonly at: number;
  readonly attributes: Readonly<Record<string, Json>>;
  readonly events?: readonly { readonly name: string; readonly attributes: Readonly<Record<string, Json>> }[];
}
function spans(sketches: readonly SpanSketch[], traceId = "ab".repeat(16)): JsonObject {
  const list = sketches.map(({ id, under, at, attributes, events }) => ({
    traceId,
    spanId: id,
    ...(under === undefined ? {} : { parentSpanId: under }),
    name: id,
    startTimeUnixNano: String(1_700_000_000_000_000_000n + BigInt(at) * 1_000_000n),
    endTimeUnixNano: String(1_700_000_000_000_000_000n + BigInt(at + 5) * 1_000_000n),
    attributes: writeAttributes(attributes),
    events: (events ?? []).map((event) => ({ ...event, attributes: writeAttributes(event.attributes) })),
  }));
  return { resourceSpans: [{ scopeSpans: [{ spans: list }] }] };
}
const operation = (name: string, more: Readonly<Record<string, Json>> = {}): Record<string, Json> => ({
  "gen_ai.operation.name": name,
  ...more,
});
const said = (role: string, content: string): JsonObject => ({ role, parts: [{ type: "text", content }] });
const call = { type: "tool_call", id: "c1", name: "look", arguments: { at: "door" } };

const conversation: SpanSketch[] = [
  {
    id: "tool",
    under: "agent",
    at: 7,
    attributes: operation("execute_tool", {
      "gen_ai.tool.name": "look",
      "gen_ai.tool.call.id": "c1",
      "gen_ai.tool.call.result": "open",
    }),
  },
  {
    id: "second",
    under: "agent",
    at: 10,
    attributes: operation("chat", {
      "gen_ai.input.messages": [
        said("user", "Is it open?"),
        { role: "assistant", parts: [call] },
        { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "open" }] },
      ],
      "gen_ai.output.messages": [{ ...said("assistant", "Yes."), finish_reason: "stop" }],
    }),
  },
  {
    id: "agent",
    at: 0,
    attributes: operation("invoke_agent", { "gen_ai.agent.name": "porter", "gen_ai.request.model": "m" }),
    events: [
      {
        name: "gen_ai.evaluation.result",
        attributes: { "gen_ai.evaluation.name": "reward", "gen_ai.evaluation.score.value": 0.5 },
      },
      {
        name: "gen_ai.evaluation.result",
        attributes: {
          "gen_ai.evaluation.name": "polite",
          "gen_ai.evaluation.score.label": "fail",
          "gen_ai.evaluation.explanation": "no please",
        },
      },
    ],
  },
  {
    id: "first",
    under: "agent",
    at: 1,
    attributes: operation("chat", { "gen_ai.usage.input_tokens": 12, "gen_ai.usage.output_tokens": 3 }),
    events: [
      {
        name: "gen_ai.client.inference.operation.details",
        attributes: {
          "gen_ai.input.messages": [said("user", "Is it open?")],
          "gen_ai.output.messages": [{ role: "assistant", parts: [call], finish_reason: "tool_call" }],
        },
      },
    ],
  },
];

describe("otel", () => {
  const line = (trace: string, more: Readonly<Record<string, Json>> = {}): string =>
    JSON.stringify(spans([{ id: "a", at: 0, attributes: operation("invoke_agent", more) }], trace));

  test("a trace is given out once it was quiet, and a span that comes later is an error", async () => {
    const collector = new TraceCollector({ quietSpans: 2, remembered: 1 });
    const one = (trace: string, id: string): void => {
      for (const span of spansOf(spans([{ id, at: 0, attributes: {} }], trace), place))
        collector.add(readSpan(span, place), place);
    };
    one("t1", "a");
    one("t2", "b");
    expect([...collector.ready()]).toEqual([]);
    one("t3", "c");
    expect([...collector.ready()].map((trace) => trace.id)).toEqual(["t1"]);
    expect(() => one("t1", "d")).toThrow("comes after its trace");
    one("t4", "e");
    expect([...collector.ready()].map((trace) => trace.id)).toEqual(["t2"]);
    one("t1", "f");
    expect([...collector.rest()].map((trace) => trace.id)).toEqual(["t3", "t4", "t1"]);
  });

  formatContract(otel, {
    line: (number) => line(number.toString(16).padStart(32, "0")),
    sameId: [line("t1", { "limbeck.trajectory.id": "same" }), line("t2", { "limbeck.trajectory.id": "same" })],
    wrongShape: '{"resourceLogs":[]}',
    folders: true,
  });

  test("agents, model calls, tools and evaluations of another program become one trajectory", () => {
    const [trajectory, ...more] = read([spans(conversation)]);
    expect(more).toEqual([]);
    expect(trajectory).toMatchObject({
      policy: { name: "porter", model: "m" },
      reward: { kind: "scored", value: 0.5 },
      rewards: [
        {
          name: "polite",
          source: "opentelemetry",
          score: { kind: "unscored", why: "label fail" },
          comment: "no please",
        },
      ],
      task: { env: "otel", goal: "Is it open?" },
      timing: { startedAt: "2023-11-14T22:13:20.000Z", durationMs: 5 },
    });
    expect(trajectory?.steps.map((step) => [step.observation, step.action, step.usage])).toEqual([
      ["Is it open?", 'look({"at":"door"})', { promptTokens: 12, completionTokens: 3 }],
      ["open", "Yes.", undefined],
    ]);
    expect(trajectory?.steps[1]?.messages).toEqual([{ role: "tool", content: "open", toolCallId: "c1" }]);
  });

  test("without any content, tool spans still tell what was called and what came of it", () => {
    const bare = conversation.map(({ events: _events, ...sketch }) => ({
      ...sketch,
      attributes: Object.fromEntries(Object.entries(sketch.attributes).filter(([key]) => !key.endsWith("messages"))),
    }));
    const [trajectory] = read([spans(bare)]);
    expect(trajectory?.steps.map((step) => [step.observation, step.action])).toEqual([
      ["", "look({})"],
      ["open", ""],
    ]);
  });

  test("nested agents are linked; model calls without an agent go by conversation", () => {
    const nested = read([
      spans([
        { id: "outer", at: 0, attributes: operation("invoke_agent") },
        { id: "between", under: "outer", at: 1, attributes: {} },
        { id: "inner", under: "between", at: 2, attributes: operation("invoke_agent") },
        { id: "call", under: "inner", at: 3, attributes: operation("chat") },
      ]),
    ]);
    expect(nested.map((trajectory) => [trajectory.steps.length, trajectory.info])).toEqual([
      [0, undefined],
      [1, { otel: { subagentOf: `${"ab".repeat(16)}-outer` } }],
    ]);
    const loose = read([
      spans([
        { id: "a", at: 0, attributes: operation("chat", { "gen_ai.conversation.id": "x" }) },
        { id: "b", at: 1, attributes: operation("chat", { "gen_ai.conversation.id": "y" }) },
        { id: "c", at: 2, attributes: operation("generate_content", { "gen_ai.conversation.id": "x" }) },
      ]),
    ]);
    expect(loose.map((trajectory) => [trajectory.id.slice(-2), trajectory.steps.length])).toEqual([
      ["-x", 2],
      ["-y", 1],
    ]);
  });

  test("what spans can hold survives the way out and back, in any order of spans", () => {
    fc.assert(
      fc.property(
        forest,
        fc.array(chat, { minLength: 5, maxLength: 5 }),
        fc.boolean(),
        (trajectories, chats, backwards) => {
          const held = trajectories.map((trajectory) => spanPart(trajectory, chats));
          const documents = held.map(
            (trajectory) => JSON.parse(JSON.stringify(toOtlp(trajectory, true))) as JsonObject,
          );
          expect(read(backwards ? documents.map(reversed) : documents)).toEqual(held);
        },
      ),
      { numRuns: tries(25, 100) },
    );
  });

  test("without content no text of a message, tool or task is written", () => {
    const [trajectory] = read([spans(conversation)]);
    const text = JSON.stringify(toOtlp(trajectory as Trajectory, false));
    for (const secret of ["Is it open?", "door", "Yes.", "no please"]) expect(text).not.toContain(secret);
    expect(text).toContain("limbeck.trajectory.id");
  });
});

describe("otel files", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "limbeck-otel-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("one large document and a folder whose files share a trace", async () => {
    await writeFile(join(folder, "one.json"), JSON.stringify(spans(conversation), null, 2));
    const collect = async (path: string): Promise<Trajectory[]> => {
      const all: Trajectory[] = [];
      for await (const trajectory of otel.read(path, {})) all.push(trajectory);
      return all;
    };
    const whole = await collect(join(folder, "one.json"));
    expect(whole).toEqual(read([spans(conversation)]));
    await rm(join(folder, "one.json"));
    await writeFile(join(folder, "b.jsonl"), JSON.stringify(spans(conversation.slice(0, 2))));
    await writeFile(join(folder, "a.jsonl"), JSON.stringify(spans(conversation.slice(2))));
    expect(await collect(folder)).toEqual(whole);
  });
});

function reversed(document: JsonObject): JsonObject {
  return { resourceSpans: [{ scopeSpans: [{ spans: spansOf(document, place).reverse() }] }] };
}

const text = fc.string({ unit: "grapheme", maxLength: 8 });
const chat: fc.Arbitrary<{ readonly messages: Message[]; readonly reply: Message }> = fc.record(
  {
    messages: fc.array(
      fc.oneof(
        fc.record({ role: fc.constantFrom("system", "user"), content: text }, { noNullPrototype: true }),
        fc.record({ role: fc.constant("tool"), content: text, toolCallId: text }, { noNullPrototype: true }),
      ),
      { maxLength: 3 },
    ),
    reply: fc.record(
      {
        role: fc.constant("assistant"),
        content: text,
        reasoning: text,
        toolCalls: fc.array(
          fc.record(
            {
              id: text,
              name: text,
              arguments: fc.oneof(
                fc.constant("{broken"),
                fc.dictionary(fc.constantFrom("a", "b"), text, { noNullPrototype: true }),
              ),
            },
            { noNullPrototype: true },
          ),
          { minLength: 1, maxLength: 2 },
        ),
      },
      { noNullPrototype: true, requiredKeys: ["role", "content"] },
    ),
  },
  { noNullPrototype: true },
);

/** The part of a trajectory that spans can hold. */
function spanPart(
  trajectory: Trajectory,
  chats: readonly { readonly messages: Message[]; readonly reply: Message }[],
): Trajectory {
  const { usage: _usage, timing: _timing, info: _info, closing, failure, ...rest } = trajectory;
  const steps = trajectory.steps.map((step, position): Step => {
    const { index, observation, stateKey, action, valid, reward } = step;
    const timing = { startedAt: `2026-01-01T00:00:1${position}.250Z`, durationMs: 1.5 };
    const own = { index, observation, stateKey, action, valid, reward, timing };
    return position % 2 === 0 ? own : { ...own, ...chats[position] };
  });
  return {
    ...rest,
    steps,
    timing: { startedAt: "2026-01-01T00:00:00.000000001Z", durationMs: 20_000 },
    usage: { promptTokens: 3, completionTokens: 0, cachedTokens: 2 },
    streams: [],
    rewards: [...trajectory.rewards].sort((one, other) => (one.step ?? -1) - (other.step ?? -1)),
    ...(closing === undefined
      ? {}
      : { closing: { observation: closing.observation, messages: [{ role: "user", content: "after" }] } }),
    ...(failure === undefined ? {} : { failure: { code: failure.code, message: failure.message } }),
  };
}
