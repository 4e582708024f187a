/** The proxy when things go wrong: providers that fail, agents that leave, disks that fill, patterns that run away. */
import { once } from "node:events";
import { mkdir, readdir, readFile, rename } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import {
  startScriptedProvider,
  type Behaviour,
  type ScriptedProvider,
} from "../../../../examples/scripted-provider.ts";
import { startRecording, stored, type RecordingSetup, type SetupOptions } from "../../../../test/support/recording.ts";
import { secretCorpus } from "../../../../test/support/secrets.ts";
import { localFiles } from "../store/local-files.ts";
import { createForest, episodeSteps } from "limbeck-base/trajectory/forest";
import { Recordings } from "./recordings.ts";

let provider: ScriptedProvider | undefined;
let setup: RecordingSetup | undefined;
afterEach(async () => {
  await setup?.remove();
  await provider?.close();
  [setup, provider] = [undefined, undefined];
});

async function start(behave?: Behaviour, options: SetupOptions = {}): Promise<RecordingSetup> {
  provider = await startScriptedProvider(behave);
  setup = await startRecording(provider.url, options);
  return setup;
}

const ask = (url: string, body: object, path = "/v1/chat/completions", headers: object = {}): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer key-in-use-123456", ...headers },
    body: JSON.stringify(body),
  });
const hello = { model: "scripted", messages: [{ role: "user", content: "hello" }] };

test("bytes pass as they are, with status and headers; our headers and ids stay here", async () => {
  let seen: Readonly<Record<string, unknown>> = {};
  const { proxy } = await start((_body, response, request) => {
    seen = { url: request.url, ...request.headers };
    response.writeHead(418, { "X-Odd-Header": "kept", "content-type": "application/json" });
    response.end('{"error": {"message":  "odd  spaces"}}');
    return true;
  });
  const response = await ask(proxy.url, hello, "/run/r%201/task/t/v1/chat/completions?beta=1", {
    "x-limbeck-agent": "me",
  });
  expect([response.status, response.headers.get("x-odd-header"), await response.text()]).toEqual([
    418,
    "kept",
    '{"error": {"message":  "odd  spaces"}}',
  ]);
  expect(seen).toMatchObject({ url: "/v1/chat/completions?beta=1", authorization: "Bearer key-in-use-123456" });
  expect(Object.keys(seen).filter((name) => name.startsWith("x-limbeck"))).toEqual([]);
  const [trajectory] = await (setup as RecordingSetup).finish();
  expect(trajectory).toMatchObject({
    id: "r 1",
    ending: "failed",
    failure: { code: "http-418" },
    policy: { name: "me" },
  });
});

test("a stream is forwarded piece by piece, before the provider is done", async () => {
  let release: () => void = () => undefined;
  const { proxy } = await start((_body, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"choices":[{"index":0,"delta":{"content":"first"}}]}\n\n');
    release = () =>
      response.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    return true;
  });
  const response = await ask(proxy.url, { ...hello, stream: true });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  // The provider ends only after this piece has arrived: buffering would wait for ever.
  expect(new TextDecoder().decode((await reader.read()).value)).toContain("first");
  release();
  while (!(await reader.read()).done);
  const [trajectory] = await (setup as RecordingSetup).finish();
  expect(trajectory).toMatchObject({ ending: "terminated", steps: [{ action: "first" }] });
});

test("a packed answer that would fill the memory is passed on, and the call is kept without it", async () => {
  // 80 MB of spaces in 80 kB.
  const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024, " "));
  const { proxy } = await start((_body, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(bomb);
    return true;
  });
  const passed = await new Promise<number>((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = httpRequest(`${proxy.url}/run/bomb/v1/chat/completions`, { method: "POST", headers }, (response) => {
      let bytes = 0;
      response.on("data", (piece: Buffer) => (bytes += piece.length)).on("end", () => resolve(bytes));
    });
    sent.on("error", reject).end(JSON.stringify(hello));
  });
  expect(passed).toBe(bomb.length);
  const [trajectory] = await (setup as RecordingSetup).finish();
  expect(trajectory).toMatchObject({ id: "bomb", ending: "failed", failure: { code: "bad-answer" } });
});

test("a provider that times out, is gone, breaks off or writes broken JSON: the agent hears it, the record says it", async () => {
  const { proxy } = await start(
    (body, response) => {
      if (body.model === "silent") return true;
      response.writeHead(200, { "content-type": body.stream === true ? "text/event-stream" : "application/json" });
      if (body.model === "half") {
        response.write('data: {"choices":[{"index":0,"delta":{"content":"half an ans"}}]}\n\n');
        setImmediate(() => response.destroy());
      } else {
        const call = { id: "1", type: "function", function: { name: "look", arguments: '{"at": "do' } };
        const message = { role: "assistant", content: null, tool_calls: [call] };
        response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] }));
      }
      return true;
    },
    { timeoutMs: 200 },
  );
  const silent = await ask(proxy.url, { ...hello, model: "silent" }, "/run/silent/v1/chat/completions");
  expect([silent.status, await silent.text()]).toEqual([504, expect.stringContaining("provider-timeout")]);
  const half = await ask(proxy.url, { ...hello, model: "half", stream: true }, "/run/half/v1/chat/completions");
  await expect(half.text()).rejects.toThrow("terminated");
  const broken = await ask(proxy.url, { ...hello, model: "broken" }, "/run/broken/v1/chat/completions");
  expect(broken.status).toBe(200);
  await broken.text();
  await provider?.close();
  const gone = await ask(proxy.url, hello, "/run/gone/v1/chat/completions");
  expect([gone.status, await gone.text()]).toEqual([502, expect.stringContaining("provider-unreachable")]);
  const found = new Map((await (setup as RecordingSetup).finish()).map((item) => [item.id, item]));
  expect(found.get("silent")).toMatchObject({ ending: "failed", steps: [], failure: { code: "provider-timeout" } });
  expect(found.get("half")).toMatchObject({
    ending: "failed",
    steps: [{ action: "half an ans" }],
    failure: { code: "broken-off" },
  });
  expect(found.get("broken")?.steps[0]?.reply?.toolCalls).toEqual([{ id: "1", name: "look", arguments: '{"at": "do' }]);
  expect(found.get("gone")).toMatchObject({ ending: "failed", failure: { code: "provider-unreachable" } });
});

test("an agent that leaves takes the provider's connection with it", async () => {
  let left: () => void = () => undefined;
  const providerLeft = new Promise<void>((resolve) => {
    left = resolve;
  });
  const { proxy } = await start((_body, response) => {
    response.on("close", left);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"choices":[{"index":0,"delta":{"content":"go on"}}]}\n\n');
    return true;
  });
  const request = httpRequest(`${proxy.url}/run/left/v1/chat/completions`, { method: "POST" });
  request.on("error", () => undefined);
  request.end(JSON.stringify({ ...hello, stream: true }));
  const [response] = (await once(request, "response")) as [NodeJS.ReadableStream];
  await once(response, "data");
  request.destroy();
  await providerLeft;
  const [trajectory] = await (setup as RecordingSetup).finish();
  expect(trajectory).toMatchObject({ id: "left", failure: { code: "client-left" }, steps: [{ action: "go on" }] });
});

test("a kept connection that the provider closes as a request comes costs nothing: it is sent once more, on a new one", async () => {
  const [answered, requests] = [new WeakSet<object>(), [] as string[]];
  const { proxy } = await start((body, response, request) => {
    requests.push(String(body.model));
    // The second request of a connection, and every one of the last model.
    if (answered.has(request.socket) || body.model === "never") request.socket.destroy();
    else response.end(JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", content: "yes" } }] }));
    answered.add(request.socket);
    return true;
  });
  const statuses: number[] = [];
  for (const model of ["first", "second", "never"]) {
    const response = await ask(proxy.url, { ...hello, model }, `/run/${model}/v1/chat/completions`);
    statuses.push(response.status);
    await response.text();
  }
  expect(statuses).toEqual([200, 200, 502]);
  // The connection of the second is not kept, so that the last has a new one, which is not tried again.
  expect(requests).toEqual(["first", "second", "second", "never"]);
  const found = new Map((await (setup as RecordingSetup).finish()).map((item) => [item.id, item]));
  expect(["first", "second", "never"].map((id) => found.get(id)?.steps.length)).toEqual([1, 1, 0]);
});

test("200 agents at once, and a tool result of 5 MB among them", async () => {
  const { proxy } = await start();
  const big = "x".repeat(5 * 1024 * 1024);
  const agents = Array.from({ length: 200 }, async (_, index) => {
    const path = `/run/agent-${index}/v1/chat/completions`;
    const first = (await (await ask(proxy.url, hello, path)).json()) as { choices: { message: object }[] };
    const results = ["call_1", "call_2"].map((id, at) => ({
      role: "tool",
      tool_call_id: id,
      content: index === 7 && at === 0 ? big : "17",
    }));
    const messages = [...hello.messages, first.choices[0]?.message, ...results];
    const second = await ask(proxy.url, { ...hello, messages }, path);
    return (await second.text()).includes("Rome is warmer");
  });
  expect((await Promise.all(agents)).every(Boolean)).toBe(true);
  const found = await (setup as RecordingSetup).finish();
  expect(found).toHaveLength(200);
  expect(found.every((item) => item.steps.length === 2 && item.ending === "terminated")).toBe(true);
  expect(found.find((item) => item.id === "agent-7")?.steps[1]?.messages?.[0]?.content).toHaveLength(big.length);
});

test("no planted secret reaches the disk: neither the store nor the journal", async () => {
  const { proxy, store } = await start(
    (body, response) => {
      const text = JSON.stringify(body.messages);
      response.writeHead(text.includes("refuse") ? 401 : 200, { "content-type": "application/json" });
      const message = { role: "assistant", content: `You said ${text}` };
      // A provider that repeats the key, as some do.
      const error = { message: "Incorrect API key provided: key-in-use-123456", code: "invalid_api_key" };
      response.end(
        JSON.stringify(
          text.includes("refuse") ? { error } : { choices: [{ index: 0, message, finish_reason: "stop" }] },
        ),
      );
      return true;
    },
    { redact: { patterns: [/CUST-\d{6}/i, "patient \\w+", "(a+)+$"], literals: ["literal-in-use"] } },
  );
  for (const [index, { text }] of secretCorpus.entries()) {
    const call = {
      id: "1",
      type: "function",
      function: { name: "send", arguments: JSON.stringify({ to: text, [text]: 1 }) },
    };
    const messages = [
      { role: "system", content: text },
      { role: "user", content: [{ type: "text", text }] },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "1", content: JSON.stringify({ note: text }) },
    ];
    await (
      await ask(
        proxy.url,
        { model: "m", messages, tools: [{ type: "function", function: { name: "send", description: text } }] },
        `/run/secret-${index}/task/${encodeURIComponent(text)}/v1/chat/completions`,
      )
    ).text();
  }
  await (await ask(proxy.url, { ...hello, messages: [{ role: "user", content: "refuse" }] })).text();
  await fetch(`${proxy.url}/limbeck/v1/feedback`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ trajectory: "secret-0", success: true, comment: secretCorpus[0]?.text }),
  });
  await (setup as RecordingSetup).recordings.save();
  const bytesOf = async (): Promise<string> => {
    const names = await readdir(store.root, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(0);
    return (await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), "latin1")))).join("\n");
  };
  const journal = await bytesOf();
  const found = await (setup as RecordingSetup).finish();
  expect(found).toHaveLength(secretCorpus.length + 1);
  const lake = await bytesOf();
  const texts = [journal, lake, JSON.stringify(found)];
  for (const secret of [...secretCorpus.map((planted) => planted.secret), "key-in-use-123456"]) {
    const inBytes = Buffer.from(secret).toString("latin1");
    expect({ secret, found: texts.map((text) => text.includes(inBytes) || text.includes(secret)) }).toEqual({
      secret,
      found: [false, false, false],
    });
  }
  // The search itself works: what is no secret is there.
  expect(journal).toContain("You said");
  expect(JSON.stringify(found)).toContain("You said");
});

test("a full disk: agents go on, nothing stored is lost, and all of it is there when there is room again", async () => {
  let full = false;
  const refuse = <T>(work: () => T): T => {
    if (full) throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    return work();
  };
  const { proxy, recordings, problems, store } = await start(undefined, {
    store: (folder) => {
      const files = localFiles(folder);
      const put: typeof files.put = (path, bytes) => refuse(() => files.put(path, bytes));
      const putIfAbsent: typeof files.putIfAbsent = (path, bytes) => refuse(() => files.putIfAbsent(path, bytes));
      return { files: { ...files, put, putIfAbsent } };
    },
  });
  const say = async (run: string): Promise<number> => {
    const response = await ask(proxy.url, hello, `/run/${run}/v1/chat/completions`);
    await response.text();
    return response.status;
  };
  expect(await say("before")).toBe(200);
  await recordings.tick(true);
  // A folder where the journal should be: the disk refuses that as well.
  await mkdir(
    join(
      store.root,
      "recorded",
      `journal-${process.pid}-${Math.trunc(performance.timeOrigin).toString(16)}.calls.jsonl`,
    ),
  );
  full = true;
  expect(await say("during")).toBe(200);
  await recordings.tick(true);
  await recordings.tick(true);
  expect(recordings.status()).toMatchObject({ problem: expect.stringContaining("ENOSPC") as string, stored: 1 });
  expect(problems.some((problem) => problem.includes("make room on the disk"))).toBe(true);
  // Said when it begins, not with every call.
  expect(problems.length).toBeLessThan(4);
  full = false;
  expect(await say("after")).toBe(200);
  await proxy.close();
  expect((await stored(store)).map((item) => item.id)).toEqual(["before", "during", "after"]);
});

test("what a killed proxy had open is stored by the next one, once; what goes on afterwards continues it", async () => {
  const { proxy, recordings, store } = await start();
  const path = "/run/long/v1/chat/completions";
  const first = (await (await ask(proxy.url, hello, path)).json()) as { choices: { message: object }[] };
  await recordings.save();
  // As if the process that wrote it were dead: no process has this number.
  const folder = join(store.root, "recorded");
  const [journal = ""] = (await readdir(folder)).filter((name) => name.startsWith("journal-"));
  await rename(join(folder, journal), join(folder, "journal-99999999-0.calls.jsonl"));
  const next = await Recordings.open({ store, run: "recorded" });
  await next.close();
  expect((await stored(store)).map((item) => [item.id, item.steps.length])).toEqual([["long", 1]]);
  const results = ["call_1", "call_2"].map((id) => ({ role: "tool", tool_call_id: id, content: "17" }));
  await (
    await ask(proxy.url, { ...hello, messages: [...hello.messages, first.choices[0]?.message, ...results] }, path)
  ).text();
  await recordings.tick(true);
  await (await ask(proxy.url, hello, path)).text();
  const found = await (setup as RecordingSetup).finish();
  expect(found.map((item) => [item.id, item.parent, item.steps.map((step) => step.index)])).toEqual([
    ["long", undefined, [0]],
    ["long~1", { trajectory: "long", step: 1 }, [1]],
    ["long~2", { trajectory: "long~1", step: 2 }, [2]],
  ]);
  // Together they are one episode of three steps, as the forest counts them.
  expect(episodeSteps(createForest(found), "long~2").map((step) => step.index)).toEqual([0, 1, 2]);
});

test("only this machine, only what is known", async () => {
  const { proxy } = await start();
  const strange = httpRequest(proxy.url, { headers: { host: "evil.example" } });
  strange.end();
  const [response] = (await once(strange, "response")) as [{ statusCode: number; resume: () => void }];
  response.resume();
  expect(response.statusCode).toBe(403);
  const send = async (path: string, type: string, body: string): Promise<number> =>
    (await fetch(`${proxy.url}${path}`, { method: "POST", headers: { "content-type": type }, body })).status;
  expect(await send("/limbeck/v1/feedback", "text/plain", "{}")).toBe(415);
  expect(await send("/limbeck/v1/feedback", "application/json", '{"trajectory": "a"}')).toBe(400);
  expect(await send("/limbeck/v1/feedback", "application/json", "{half")).toBe(400);
  expect(await send("/limbeck/v1/records", "application/x-ndjson", '{"limbeck":"call"}')).toBe(400);
  expect(await send("/limbeck/v1/nothing", "application/json", "{}")).toBe(404);
  expect(await send("/v1/traces", "application/x-protobuf", "\u0001\u0002\u0003")).toBe(400);
  expect(await send("/v1/traces", "application/json", '{"resourceSpans": []}')).toBe(200);
  expect(await (await fetch(`${proxy.url}/limbeck/health`)).json()).toMatchObject({ ok: true, open: 0 });
});
