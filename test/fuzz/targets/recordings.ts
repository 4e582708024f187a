/** Targets that read what other programs recorded: importers, formats, spans, answers of providers. Secrets are planted. */
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMessage } from "../../../packages/base/src/base/protobuf.ts";
import { importers } from "../../../packages/store/src/record/importers/registry.ts";
import { readTraceRequest } from "../../../packages/store/src/record/inbox.ts";
import { createAnswerReader } from "../../../packages/recorder/src/wire/answer-reader.ts";
import { createRedactor } from "../../../packages/recorder/src/redact.ts";
import { shapeOf } from "../../../packages/recorder/src/wire/shapes.ts";
import { readRoute } from "../../../packages/store/src/record/route.ts";
import { readStream } from "../../../packages/policy/src/policy/chat/server-body.ts";
import type { ReadOptions, Source } from "../../../packages/store/src/store/formats/source.ts";
import { detectFormat, formats } from "../../../packages/store/src/store/formats/index.ts";
import { trajectoryFromJson, trajectoryToJson } from "../../../packages/base/src/trajectory/schema.ts";
import { validateForest } from "../../../packages/base/src/trajectory/forest.ts";
import type { Trajectory } from "../../../packages/base/src/trajectory/trajectory.ts";
import { foreignDocuments } from "../../support/atif-documents.ts";
import { kitchen } from "../../support/sample-store.ts";
import { sampleTrajectory } from "../../support/samples.ts";
import { PLANTED, textTarget, valueTarget, type TargetKind } from "../target.ts";
import { folderTarget, seedsIn } from "./files.ts";

const SAMPLES = new URL("../../samples/sessions/", import.meta.url);
const CORPUS = new URL("../../fuzz-corpus/sessions/", import.meta.url);

async function readAll(source: Source, path: string, options: ReadOptions = {}): Promise<unknown> {
  const made: unknown[] = [];
  const all: Trajectory[] = [];
  const onSkip = (skip: unknown): unknown => made.push(skip);
  for await (const one of source.read(path, { ...options, lenient: true, onSkip, onNotice: onSkip })) all.push(one);
  made.push(...all.map(trajectoryToJson), ...validateForest(all).filter(({ code }) => code !== "task-differs"));
  // The first fault is thrown.
  for await (const one of source.read(path, options)) made.push(one.id);
  return made;
}

const redactor = createRedactor();

function importerTarget(id: keyof typeof importers): TargetKind {
  const make = async (good: string): Promise<void> => {
    const from = ["claude-code", "codex", "gemini-cli", "opencode", "pi"].includes(id) ? SAMPLES : CORPUS;
    await cp(new URL(id, from), good, { recursive: true });
    for (const { name, bytes } of await seedsIn(good)) {
      const text = bytes.toString().replaceAll("@SECRET@", PLANTED[0]).replaceAll("@EMAIL@", PLANTED[1]);
      await writeFile(join(good, name), text);
    }
  };
  const read = async (folder: string): Promise<unknown> => await readAll(importers[id], folder, { redactor });
  return { redacts: true, open: folderTarget(`record/importers/${id}.ts`, make, read).open };
}

async function* each(all: readonly Trajectory[]): AsyncGenerator<Trajectory, void, undefined> {
  yield* all;
}

/** What the recorder writes; nothing else is read only. */
const RECORDED = [
  {
    limbeck: "call",
    v: 1,
    trajectory: "a",
    call: "a-1",
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 500,
    messages: [{ role: "user", content: "question" }],
    reply: { role: "assistant", content: "answer" },
  },
  { limbeck: "feedback", v: 1, trajectory: "a", success: true, score: 0.5 },
  { limbeck: "end", v: 1, trajectory: "a" },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("");

const ENDINGS: Readonly<Record<string, string>> = {
  adp: ".adp.jsonl",
  atif: ".atif.jsonl",
  otel: ".otlp.jsonl",
  parquet: ".parquet",
  recorder: ".calls.jsonl",
};

function formatTarget(id: keyof typeof formats): TargetKind {
  const { write }: Source = formats[id];
  return {
    open: async ({ folder }) => {
      const path = join(folder, `good${ENDINGS[id] ?? ".jsonl"}`);
      await rm(path, { recursive: true, force: true });
      if (write === undefined) await writeFile(path, RECORDED);
      else await write(path, each([kitchen, sampleTrajectory("two")]), {});
      const isFolder = id === "parquet";
      const written = isFolder ? await seedsIn(path) : [{ name: "good", bytes: await readFile(path) }];
      const foreign = id === "atif" ? Object.values(foreignDocuments).map((one) => JSON.stringify(one)) : [];
      const tried = join(folder, `tried${ENDINGS[id] ?? ".jsonl"}`);
      return {
        reads: `store/formats/${id}.ts`,
        seeds: [...written, ...foreign.map((text) => ({ name: "good", bytes: Buffer.from(text) }))],
        run: async ({ name, bytes }) => {
          await rm(tried, { recursive: true, force: true });
          if (isFolder) await cp(path, tried, { recursive: true });
          await writeFile(isFolder ? join(tried, name) : tried, bytes);
          if (!isFolder) await detectFormat(tried).catch(() => undefined);
          return await readAll(formats[id], tried);
        },
      };
    },
  };
}

function spans(): Buffer {
  const attribute = createMessage();
  attribute.bytes(1, "gen_ai.operation.name");
  const value = createMessage();
  value.bytes(1, "chat");
  attribute.bytes(2, value);
  const span = createMessage();
  span.bytes(1, Buffer.from("0af7651916cd43dd8448eb211c80319c", "hex"));
  span.bytes(2, Buffer.from("b7ad6b7169203331", "hex"));
  span.bytes(5, "chat");
  span.bytes(9, attribute);
  const scope = createMessage();
  scope.bytes(2, span);
  const resource = createMessage();
  resource.bytes(2, scope);
  const request = createMessage();
  request.bytes(1, resource);
  return Buffer.from(request.finish());
}

const DELTA = { id: "1", object: "chat.completion.chunk", model: "m" };
const STREAM = [
  { ...DELTA, choices: [{ index: 0, delta: { role: "assistant", content: "Hel" }, finish_reason: null }] },
  {
    ...DELTA,
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: '{"a":1}' } }] },
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 2 },
  },
]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .concat("data: [DONE]\n\n")
  .join("");
const ANTHROPIC = [
  { type: "message_start", message: { id: "m", role: "assistant", model: "c", usage: { input_tokens: 3 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
  { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "t", name: "f", input: {} } },
  { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"a":1}' } },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("");

function answersOf(path: string, type: string): (text: string) => unknown {
  return (text) => {
    const shape = shapeOf(path);
    if (shape === undefined) throw new Error(`No shape for ${path}.`);
    const reader = createAnswerReader(shape, 200, type);
    for (let at = 0; at < text.length; at += 97) reader.push(text.slice(at, at + 97));
    return reader.end(true);
  };
}

const ASKED = {
  model: "m",
  messages: [
    { role: "user", content: [{ type: "text", text: "Hello" }] },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: "done" },
  ],
  tools: [{ type: "function", function: { name: "f", parameters: {} } }],
};

export const recordingTargets: Readonly<Record<string, TargetKind>> = {
  ...Object.fromEntries(
    (Object.keys(importers) as (keyof typeof importers)[]).map((id) => [`import-${id}`, importerTarget(id)]),
  ),
  ...Object.fromEntries(
    (Object.keys(formats) as (keyof typeof formats)[]).map((id) => [`format-${id}`, formatTarget(id)]),
  ),
  "otlp-protobuf": {
    open: async () => ({
      reads: "record/inbox.ts",
      seeds: [{ name: "spans", bytes: spans() }],
      run: async ({ bytes }) => readTraceRequest(bytes),
    }),
  },
  "chat-stream": textTarget("policy/chat/server-body.ts", [STREAM], (text) => readStream("m", text)),
  "recorded-openai": textTarget(
    "record/recorder/wire/openai-chat.ts",
    [STREAM],
    answersOf("/v1/chat/completions", "text/event-stream"),
  ),
  "recorded-anthropic": textTarget(
    "record/recorder/wire/anthropic.ts",
    [ANTHROPIC],
    answersOf("/v1/messages", "text/event-stream"),
  ),
  "recorded-responses": textTarget(
    "record/recorder/wire/openai-responses.ts",
    [
      `data: ${JSON.stringify({ type: "response.completed", response: { id: "r", model: "m", output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] }], usage: { input_tokens: 1 } } })}\n\n`,
    ],
    answersOf("/v1/responses", "text/event-stream"),
  ),
  "recorded-requests": valueTarget("record/recorder/wire/shapes.ts", [ASKED], (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return ["/v1/chat/completions", "/v1/messages", "/v1/responses"].map((path) =>
      shapeOf(path)?.asked(value as never),
    );
  }),
  redaction: {
    redacts: true,
    open: async () => ({
      reads: "record/recorder/redact.ts",
      seeds: [{ name: "text", bytes: Buffer.from(`Ask ${PLANTED[1]} for the key ${PLANTED[0]}, then go on.\n`) }],
      run: async ({ bytes }) => redactor.text(bytes.toString()),
    }),
  },
  "proxy-route": textTarget("record/route.ts", ["/run/7/task/greet/group/a%20b/v1/chat/completions?x=1"], (text) =>
    readRoute(text, { "x-limbeck-agent": text.slice(0, 40) }),
  ),
  trajectory: valueTarget("trajectory/schema.ts", [trajectoryToJson(kitchen)], (value) =>
    validateForest([trajectoryFromJson(value)]),
  ),
};
