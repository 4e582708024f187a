/** Spans over OTLP/HTTP: the GenAI names, both encodings, and the same ids as an import of the same spans. */
import { writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { startRecording, type RecordingSetup } from "../../../../test/support/recording.ts";
import { createMessage, type Message } from "limbeck-base/base/protobuf";
import { writeAttributes } from "../store/formats/otlp.ts";
import type { Json, JsonObject } from "limbeck-base/base/json";
import { readTraceRequest } from "./inbox.ts";

let setup: RecordingSetup;
beforeEach(async () => {
  setup = await startRecording("http://127.0.0.1:9/v1");
});
afterEach(() => setup.remove());

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const said = (role: string, content: string): JsonObject => ({ role, parts: [{ type: "text", content }] });
const span = (
  id: string,
  parent: string | undefined,
  at: number,
  attributes: Readonly<Record<string, Json>>,
): JsonObject => ({
  traceId: TRACE,
  spanId: id,
  ...(parent === undefined ? {} : { parentSpanId: parent }),
  name: id,
  startTimeUnixNano: `17000000000000000${at}0`,
  endTimeUnixNano: `17000000000000000${at}5`,
  attributes: writeAttributes(attributes),
});
const SPANS = [
  span("b7ad6b7169203331", undefined, 10, { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "porter" }),
  span("b7ad6b7169203332", "b7ad6b7169203331", 11, {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.usage.input_tokens": 7,
    "gen_ai.input.messages": [said("user", "Is it open? Ask bob@example.com")],
    "gen_ai.output.messages": [{ ...said("assistant", "Yes."), finish_reason: "stop" }],
  }),
];
const DOCUMENT = { resourceSpans: [{ scopeSpans: [{ spans: SPANS }] }] };

const send = (
  body: string | Uint8Array,
  type: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${setup.proxy.url}/v1/traces`, { method: "POST", headers: { "content-type": type, ...more }, body });

test("JSON, packed or not, becomes a trajectory, redacted, and an import of the same spans is not counted again", async () => {
  expect((await send(JSON.stringify(DOCUMENT), "application/json")).status).toBe(200);
  const again = await send(gzipSync(JSON.stringify(DOCUMENT)), "application/json", { "content-encoding": "gzip" });
  expect(again.status).toBe(200);
  expect((await send("nonsense", "application/json", { "content-encoding": "gzip" })).status).toBe(400);
  const [trajectory, ...more] = await setup.finish();
  expect(more).toEqual([]);
  expect(trajectory).toMatchObject({
    id: `${TRACE}-b7ad6b7169203331`,
    policy: { name: "porter", model: "m" },
    task: { env: "chat", goal: "Is it open? Ask [redacted email]" },
    usage: { promptTokens: 7 },
  });
  const file = `${setup.store.root}/spans.otlp.jsonl`;
  await writeFile(file, JSON.stringify(DOCUMENT));
  await limbeck(["import", file, "--store", setup.store.root, "--run", "imported"]);
  const { objects } = await limbeck(["traces", "--json", "--store", setup.store.root]);
  expect(objects()).toMatchObject([
    { id: trajectory?.id, run: "recorded", alsoIn: 1 },
    { event: "total", trajectories: 1, steps: 1 },
  ]);
});

/** A message of the wire format from pairs of field number and value. */
function message(...fields: readonly (readonly [number, string | bigint | Uint8Array | Message])[]): Message {
  const built = createMessage();
  for (const [number, value] of fields) {
    if (typeof value === "bigint") built.integer(number, value);
    else built.bytes(number, value);
  }
  return built;
}
const hex = (text: string): Uint8Array => Buffer.from(text, "hex");

test("protocol buffers are read field by field; what is cut off or no message is refused", () => {
  const values = [
    message([1, "text"]),
    message([2, 1n]),
    message([3, -5n]),
    message([5, message([1, message([1, "in a list"])])]),
    message([6, message([1, message([1, "key"], [2, message([3, 9n])])])]),
    message([7, Uint8Array.of(1, 2, 3)]),
  ];
  const attributes = values.map((value, index): [number, Message] => [9, message([1, `a${index}`], [2, value])]);
  const status = message([2, "it broke"], [3, 2n]);
  const own = message([1, hex(TRACE)], [2, hex("b7ad6b7169203331")], [5, "chat"], ...attributes, [15, status]);
  const bytes = message([1, message([2, message([2, own])])]).finish();
  const read = readTraceRequest(bytes) as { resourceSpans: { scopeSpans: { spans: JsonObject[] }[] }[] };
  expect(read.resourceSpans[0]?.scopeSpans[0]?.spans[0]).toMatchObject({
    traceId: TRACE,
    spanId: "b7ad6b7169203331",
    name: "chat",
    status: { message: "it broke", code: 2 },
    attributes: [
      { key: "a0", value: { stringValue: "text" } },
      { key: "a1", value: { boolValue: true } },
      { key: "a2", value: { intValue: "-5" } },
      { key: "a3", value: { arrayValue: { values: [{ stringValue: "in a list" }] } } },
      { key: "a4", value: { kvlistValue: { values: [{ key: "key", value: { intValue: "9" } }] } } },
      { key: "a5", value: { bytesValue: "AQID" } },
    ],
  });
  for (let length = 1; length < bytes.length; length += 7) {
    expect(() => readTraceRequest(bytes.subarray(0, length))).toThrow("not an OTLP trace request");
  }
  let deep = message([1, "deep"]);
  for (let level = 0; level < 200; level += 1) deep = message([5, message([1, deep])]);
  const nested = message([1, message([2, message([2, message([9, message([1, "a"], [2, deep])])])])]);
  expect(() => readTraceRequest(nested.finish())).toThrow("nested too deeply");
});
