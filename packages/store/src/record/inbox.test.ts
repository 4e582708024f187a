/** Requests that agents send, damaged at random: every one gets an answer that says what is wrong with it. */
import { Readable } from "node:stream";
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { createInbox } from "./inbox.ts";
import type { RecordingsSink } from "./recordings-sink.ts";

const redactor = { text: (text: string) => text, object: <T>(value: T) => value, id: (text: string) => text };
const stored: unknown[] = [];
const recordings = {
  add: (line: unknown) => void stored.push(line),
  addTrajectory: (one: unknown) => Promise.resolve(void stored.push(one)),
  status: () => ({}),
} as unknown as RecordingsSink;
const inbox = createInbox({ recordings, redactor: redactor as never });

async function answerTo(path: string, body: string): Promise<{ status: number; text: string }> {
  const request = Object.assign(Readable.from([Buffer.from(body)]), {
    method: "POST",
    headers: { "content-type": "application/json" },
  });
  let status = 0;
  let text = "";
  const response = {
    writeHead: (given: number) => (status = given),
    end: (bytes: Buffer) => (text = bytes.toString()),
  };
  await inbox.handle(path, request as unknown as IncomingMessage, response as unknown as ServerResponse);
  return { status, text };
}

const span = (value: unknown): string =>
  JSON.stringify({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              {
                traceId: "t",
                spanId: "s",
                name: "chat",
                startTimeUnixNano: "1",
                endTimeUnixNano: 2,
                attributes: [{ key: "gen_ai.request.model", value }],
                events: [{ name: "e", attributes: [{ key: "k", value: { intValue: "3" } }] }],
                status: { code: 2, message: "x" },
              },
            ],
          },
        ],
      },
    ],
  });
const bodies: Readonly<Record<string, string>> = {
  "/limbeck/v1/records": JSON.stringify({
    limbeck: "call",
    v: 1,
    id: "c",
    trajectory: "t",
    time: "2026-01-01T00:00:00.000Z",
    provider: "openai",
    model: "m",
    messages: [{ role: "user", content: "hi" }],
    reply: { content: "yes" },
  }),
  "/limbeck/v1/feedback": JSON.stringify({ trajectory: "t", success: true, score: 0.5, comment: "fine" }),
  "/limbeck/v1/end": JSON.stringify({ trajectory: "t", time: "2026-01-01T00:00:00.000Z", success: true, info: {} }),
  "/v1/traces": span({ stringValue: "m" }),
};
const STRANGE = [
  "{}",
  "[]",
  "null",
  '"x"',
  "1e400",
  "-1",
  '{"toString":1}',
  '{"__proto__":[1]}',
  "true",
  "9".repeat(40),
];

test("600 damaged requests are answered, none as a fault of ours", async () => {
  const rng = createRng("inbox");
  const faults: string[] = [];
  for (const [path, body] of Object.entries(bodies)) {
    for (let tried = 0; tried < 150; tried += 1) {
      // A value in the place of another one, or a letter in the place of another one.
      const values = [...body.matchAll(/(?<=:)(?:"[^"]*"|\d+|true|\{\}|\[[^\]]*\])/gu)];
      const value = values[rng.int(values.length)];
      const at = rng.int(body.length);
      const damaged =
        tried % 3 === 0 || value === undefined
          ? body.slice(0, at) + String.fromCharCode(32 + rng.int(95)) + body.slice(at + 1)
          : body.slice(0, value.index) + STRANGE[rng.int(STRANGE.length)] + body.slice(value.index + value[0].length);
      const { status, text } = await answerTo(path, damaged);
      const code = status === 200 ? "" : (JSON.parse(text) as { code: string }).code;
      if (status >= 500 || ["internal", "error"].includes(code) || code.startsWith("ERR_"))
        faults.push(`${damaged} ${text}`);
    }
  }
  expect(faults).toEqual([]);
});

test.for<object>([
  { intValue: {} },
  { intValue: { toString: 1 } },
  { doubleValue: {} },
  { arrayValue: 1 },
  { kvlistValue: [] },
])("an attribute whose value is none is read as nothing: %j", async (value) => {
  expect(await answerTo("/v1/traces", span(value))).toMatchObject({ status: 200 });
  await inbox.close();
});

test("a body that is nested without end is refused", async () => {
  const { status, text } = await answerTo("/v1/traces", `${"[".repeat(20_000)}${"]".repeat(20_000)}`);
  expect(status).toBe(400);
  expect(text).toContain("nested more than 500 deep");
});
