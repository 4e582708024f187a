import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startScriptedProvider } from "../../../../../examples/scripted-provider.ts";
import { limbeck, serving } from "../../../../../test/support/fake-io.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-proxy-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("listens on this machine, records a call, stores it when it is stopped", async () => {
  const provider = await startScriptedProvider();
  const words = ["proxy", "--port", "0", "--openai", provider.url, "--store", folder, "--run", "support"];
  const { line, stop } = await serving(words, { cwd: folder });
  const url = String(line["openai"]);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  const body = JSON.stringify({ model: "scripted", messages: [{ role: "user", content: "hello" }] });
  const headers = { "content-type": "application/json", "x-limbeck-run": "first" };
  const response = await fetch(`${url}/chat/completions`, { method: "POST", headers, body });
  expect(response.status).toBe(200);
  await response.text();
  const ended = await stop();
  expect(ended.code).toBe(130);
  expect(ended.objects().at(-1)).toEqual({ event: "stored", run: "support", trajectories: 1, dropped: 0 });
  const { objects } = await limbeck(["show", "first", "--store", folder, "--json"]);
  expect(objects()[0]).toMatchObject({ run: "support", id: "first", ending: "truncated" });
  await provider.close();
});

test("refuses a port in use, an address that is none and a pattern it cannot run", async () => {
  const provider = await startScriptedProvider();
  const port = new URL(provider.url).port;
  for (const [words, said] of [
    [["--port", port], "is taken. Give another port, or 0 for any."],
    [["--port", "0", "--openai", "api.example.com"], "not an address"],
    [["--port", "0", "--redact", "(a)\\1"], "backtracking"],
  ] as const) {
    const { code, err } = await limbeck(["proxy", "--store", folder, ...words]);
    expect(code).toBe(2);
    expect(err).toContain(said);
  }
  await provider.close();
});
