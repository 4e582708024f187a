import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startScriptedProvider } from "../../../examples/scripted-provider.ts";
import { limbeck } from "../../../test/support/fake-io.ts";
import { main } from "../index.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-proxy-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("listens on this machine, records a call, stores it when it is stopped", async () => {
  const provider = await startScriptedProvider();
  const stop = new AbortController();
  const lines: Record<string, unknown>[] = [];
  let listening: (url: string) => void = () => undefined;
  const ready = new Promise<string>((resolve) => {
    listening = resolve;
  });
  const words = ["proxy", "--port", "0", "--openai", provider.url, "--store", folder, "--run", "support", "--json"];
  const ended = main(words, {
    out: (text) => {
      const line = JSON.parse(text) as Record<string, unknown>;
      lines.push(line);
      if (line["event"] === "listening") listening(String(line["openai"]));
    },
    err: () => undefined,
    env: {},
    cwd: folder,
    terminal: { out: false, err: false, in: false, columns: 80 },
    ask: () => Promise.resolve(undefined),
    readInput: () => Promise.resolve(""),
    now: () => 0,
    signal: stop.signal,
  });
  const url = await ready;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  const body = JSON.stringify({ model: "scripted", messages: [{ role: "user", content: "hello" }] });
  const headers = { "content-type": "application/json", "x-limbeck-run": "first" };
  const response = await fetch(`${url}/chat/completions`, { method: "POST", headers, body });
  expect(response.status).toBe(200);
  await response.text();
  stop.abort();
  expect(await ended).toBe(130);
  expect(lines.at(-1)).toEqual({ event: "stored", run: "support", trajectories: 1, dropped: 0 });
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
