import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCassette } from "./cassette.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-cassette-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));
const file = () => join(folder, "chat.jsonl");
const KEY = `sk-ant-${"api03-Zz9".repeat(5)}`;

const ask = async (fetch: typeof globalThis.fetch, content: string, more: object = {}) => {
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content }], ...more });
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  const response = await fetch("https://api.example/v1/chat?x=1", { method: "POST", headers, body });
  return [response.status, response.headers.get("content-type"), await response.text()];
};
/** Numbers its answers. */
const provider = () => {
  let calls = 0;
  const fetch: typeof globalThis.fetch = async () =>
    new Response(`data: ${(calls += 1)}, key ${KEY}\n\n`, { headers: { "content-type": "text/event-stream" } });
  return { fetch, calls: () => calls };
};
const unreachable: typeof globalThis.fetch = () => Promise.reject(new Error("no network"));

async function recorded(...questions: readonly string[]): Promise<void> {
  const cassette = createCassette({ file: file(), mode: "record", fetch: provider().fetch });
  for (const question of questions) await ask(cassette.fetch, question);
  await cassette.finish();
}

test("recorded once, then answered from the file without a network; equal requests in their order", async () => {
  const asked = provider();
  const first = createCassette({ file: file(), mode: "record", fetch: asked.fetch });
  expect(await ask(first.fetch, "hello")).toEqual([200, "text/event-stream", `data: 1, key ${KEY}\n\n`]);
  await ask(first.fetch, "hello");
  await first.finish();
  const again = createCassette({ file: file(), mode: "replay", fetch: unreachable });
  expect((await ask(again.fetch, "hello"))[2]).toContain("data: 1");
  expect((await ask(again.fetch, "hello"))[2]).toContain("data: 2");
  await again.finish();
  expect(asked.calls()).toBe(2);
});

test("no key stands in the file, from headers, questions or answers, and the question is found again all the same", async () => {
  await recorded(`my key is ${KEY}`);
  expect(await readFile(file(), "utf8")).not.toContain(KEY);
  const again = createCassette({ file: file(), mode: "replay" });
  expect((await ask(again.fetch, `my key is ${KEY}`))[0]).toBe(200);
});

test("drift fails: another request, one too many, and one that was not made", async () => {
  await recorded("hello", "goodbye");
  const other = createCassette({ file: file(), mode: "replay" });
  await expect(ask(other.fetch, "hullo")).rejects.toThrow(
    'differs at body.messages.0.content: recorded "hello", asked "hullo". Record it anew (LIMBECK_CASSETTE=record)',
  );
  await expect(ask(other.fetch, "hello", { temperature: 1 })).rejects.toThrow(
    "differs at body.temperature: recorded null, asked 1",
  );
  await ask(other.fetch, "hello");
  await expect(other.finish()).rejects.toThrow("1 of 2 recorded requests");
  await ask(other.fetch, "goodbye");
  await expect(ask(other.fetch, "goodbye")).rejects.toThrow("has no further answer");
});

test("where there is no cassette, or a line of it is none, the error says how it is made", async () => {
  expect(() => createCassette({ file: file(), mode: "replay" })).toThrow("There is no cassette");
  await writeFile(file(), '{"request":{}}\n');
  expect(() => createCassette({ file: file(), mode: "replay" })).toThrow("Line 1 of");
});
