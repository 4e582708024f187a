import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { detectFormat, formats } from "./index.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-detect-"));
});
afterAll(() => rm(folder, { recursive: true }));

const atif = '{"schema_version": "ATIF-v1.5", "agent": {}, "steps": [{"message": "\\"messages\\": ["}]}';
const openai = '{"id":1,"messages":[{"role":"system","content":"x"}]}';

test.each([
  ["a.jsonl", openai, "openai-chat"],
  ["b.jsonl", '{"system":"s","messages":[]}', "anthropic-chat"],
  ["c.jsonl", '{"messages":[{"role":"assistant","content":[{"type":"tool_use"}]}]}', "anthropic-chat"],
  ["d.json", atif, "atif"],
  ["e.json", `[\n ${atif}]`, "atif"],
  ["i.jsonl", '{"id":"1","content":[{"class_":"text_observation"}]}', "adp"],
  ["f.json", '{\n "resourceSpans": []}', "otel"],
  ["g.bin", "PAR1....", "parquet"],
  ["h.atif.jsonl", "anything", "atif"],
])("%s", async (name, content, expected) => {
  const path = join(folder, name);
  await writeFile(path, content);
  expect((await detectFormat(path)).id).toBe(expected);
});

test("packed files and folders are looked into", async () => {
  await writeFile(join(folder, "x.jsonl.gz"), gzipSync(openai));
  expect((await detectFormat(join(folder, "x.jsonl.gz"))).id).toBe("openai-chat");
  await mkdir(join(folder, "job", "t1"), { recursive: true });
  await writeFile(join(folder, "job", "config.json"), "{}");
  await writeFile(join(folder, "job", "t1", "trajectory.json"), atif);
  expect((await detectFormat(join(folder, "job"))).id).toBe("atif");
});

test("what cannot be told is an error with the choices, and they are the registry's", async () => {
  const path = join(folder, "unknown.txt");
  await writeFile(path, "hello");
  await expect(detectFormat(path)).rejects.toMatchObject({ code: "format-unknown" });
  const known: unknown = await detectFormat(path).catch(
    (error: { details: { known: string[] } }) => error.details.known,
  );
  expect([...(known as string[])].sort()).toEqual(Object.keys(formats).sort());
  await expect(detectFormat(join(folder, "none.jsonl"))).rejects.toMatchObject({ code: "file-missing" });
});

test("each format is registered under its own id", () => {
  for (const [id, format] of Object.entries(formats)) expect(format.id).toBe(id);
});
