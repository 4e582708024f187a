import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateText, streamText, type LanguageModel } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hold } from "../../../test/support/held-recorder.ts";
import { createRecorder, type Recorder } from "./recorder.ts";

const usage = {
  inputTokens: { total: 5, noCache: 3, cacheRead: 2, cacheWrite: 0 },
  outputTokens: { total: 3, text: 3, reasoning: 0 },
};
const finish = { type: "finish" as const, finishReason: { unified: "stop" as const, raw: "stop" }, usage };
const says = (text: string): MockLanguageModelV3 =>
  new MockLanguageModelV3({
    doGenerate: () =>
      Promise.resolve({ content: [{ type: "text", text }], finishReason: finish.finishReason, usage, warnings: [] }),
  });

const ask = (recorder: Recorder, model: object, prompt: string): Promise<{ readonly text: string }> =>
  generateText({ model: recorder.model(model) as LanguageModel, prompt, maxRetries: 0 });

test("nested runs name their caller; parallel runs keep apart", async () => {
  const { recorder, calls } = hold({ agent: "outer" });
  await recorder.run({ id: "a", task: "t" }, async () => {
    await ask(recorder, says("one"), "first");
    await Promise.all(
      ["b", "c"].map((id) => recorder.run({ id, agent: "inner" }, () => ask(recorder, says(id), `for ${id}`))),
    );
    await ask(recorder, says("two"), "second");
  });
  expect((await calls()).map((line) => [line.trajectory, line.agent, line.caller, line.reply?.content])).toEqual([
    ["a", "outer", undefined, "one"],
    ["b", "inner", "a", "b"],
    ["c", "inner", "a", "c"],
    ["a", "outer", undefined, "two"],
  ]);
  expect((await calls())[0]?.usage).toEqual({ promptTokens: 5, completionTokens: 3, cachedTokens: 2 });
});

test("without names, calls that continue each other are one trajectory, and equal openings are two", async () => {
  const { recorder, calls } = hold();
  const model = recorder.model(says("hello")) as LanguageModel;
  const talk = async (...messages: readonly string[]): Promise<unknown> =>
    await generateText({
      model,
      system: `It is ${messages.length} o'clock.`,
      messages: messages.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
    });
  await talk("hi");
  await talk("hi", "hello", "how are you?");
  await talk("hi");
  await talk("hi", "something the model never said", "and now?");
  const lines = await calls();
  const names = [...new Set(lines.map((line) => line.trajectory))];
  expect(lines.map((line) => names.indexOf(line.trajectory))).toEqual([0, 0, 1, 2]);
  expect(lines[1]).toMatchObject({
    after: lines[0]?.call,
    // The changed system text and what was new; not the history again.
    messages: [
      { role: "system", content: "It is 3 o'clock." },
      { role: "user", content: "how are you?" },
    ],
  });
  expect(lines[3]?.messages).toHaveLength(4);
});

test("errors reach the agent as they are and the record too; a retry joins its failed opening", async () => {
  const { recorder, calls, lines } = hold();
  const failure = Object.assign(new Error("the provider is overloaded"), { statusCode: 529 });
  const fails = new MockLanguageModelV3({ doGenerate: () => Promise.reject(failure) });
  await expect(ask(recorder, fails, "hi")).rejects.toBe(failure);
  await ask(recorder, says("now"), "hi");
  await expect(recorder.run({ id: "x" }, () => Promise.reject(failure))).rejects.toBe(failure);
  const [first, second] = await calls();
  expect(first).toMatchObject({ error: { code: "http-529", message: "the provider is overloaded" } });
  expect(first?.reply).toBeUndefined();
  expect(second?.trajectory).toBe(first?.trajectory);
  expect((await lines()).at(-1)).toMatchObject({ limbeck: "end", trajectory: "x", ending: "failed" });
});

test("a stream passes unchanged; one that breaks or is left is kept as far as it came", async () => {
  const { recorder, calls } = hold();
  const chunks = [
    { type: "text-start" as const, id: "1" },
    { type: "text-delta" as const, id: "1", delta: "half an " },
    { type: "text-delta" as const, id: "1", delta: "answer" },
    { type: "text-end" as const, id: "1" },
    { type: "tool-input-start" as const, id: "c", toolName: "look" },
    { type: "tool-input-delta" as const, id: "c", delta: '{"at' },
  ];
  const streams = (stream: ReadableStream): MockLanguageModelV3 =>
    new MockLanguageModelV3({ doStream: () => Promise.resolve({ stream }) });
  const stream = (model: object): ReturnType<typeof streamText> =>
    streamText({ model: recorder.model(model) as LanguageModel, prompt: "hi", onError: () => undefined });
  const whole = simulateReadableStream({ chunks: [...chunks.slice(0, 4), finish] });
  expect(await stream(streams(whole)).text).toBe("half an answer");
  const breaking = new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
    },
    pull: (controller) => controller.error(new Error("the line is dead")),
  });
  await stream(streams(breaking)).consumeStream();
  const left = await recorder.model(streams(simulateReadableStream({ chunks }))).doStream({
    prompt: [],
  });
  const reader = left.stream.getReader();
  await reader.read();
  await reader.read();
  await reader.cancel();
  const [one, two, three] = await calls();
  expect(one).toMatchObject({ reply: { content: "half an answer" }, finish: "stop" });
  expect(one?.partial).toBeUndefined();
  expect(two).toMatchObject({
    partial: true,
    reply: { content: "half an answer", toolCalls: [{ id: "c", name: "look", arguments: '{"at' }] },
    error: { message: "the line is dead" },
  });
  expect(three).toMatchObject({ partial: true, reply: { content: "half an " }, error: { code: "client-left" } });
});

test("a recorder that is off, or whose pattern cannot be used, leaves everything as it was", async () => {
  const model = says("fine");
  const off = createRecorder({ to: false });
  expect(off.model(model)).toBe(model);
  const errors: unknown[] = [];
  const broken = createRecorder({ redact: { patterns: ["(?=a)"] }, onError: (error) => errors.push(error) });
  expect((await broken.run({}, () => ask(broken, model, "hi"))).text).toBe("fine");
  expect([broken.status().on, errors.length]).toEqual([false, 1]);
});

test("a sink that fails costs the agent nothing; its lines wait, are tried again, and are counted when given up", async () => {
  const kept: string[] = [];
  let down = true;
  const sink = {
    write: (lines: readonly string[]): Promise<void> => {
      if (down) return Promise.reject(new Error("no space left"));
      kept.push(...lines);
      return Promise.resolve();
    },
  };
  const recorder = createRecorder({ to: sink, maxWaitingBytes: 2000 });
  expect((await ask(recorder, says("fine"), "hi")).text).toBe("fine");
  await recorder.flush();
  expect(recorder.status()).toMatchObject({ written: 0, waiting: 1, problem: "no space left" });
  for (let index = 0; index < 8; index += 1) await ask(recorder, says("fine"), `question ${index} ${"x".repeat(300)}`);
  await recorder.flush();
  const { waiting, dropped } = recorder.status();
  expect([waiting + dropped, dropped > 0]).toEqual([9, true]);
  down = false;
  await recorder.flush();
  expect(recorder.status()).toMatchObject({ written: waiting, waiting: 0 });
  expect(kept).toHaveLength(waiting);
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-recorder-"));
});
afterEach(async () => {
  await chmod(folder, 0o755);
  await rm(folder, { recursive: true, force: true });
});

test("files are readable by their owner alone and hold whole lines", async () => {
  const recorder = createRecorder({ to: join(folder, "deep", "recordings") });
  await ask(recorder, says("fine"), "hi from bob@example.com");
  await recorder.flush();
  const [name = ""] = await readdir(join(folder, "deep", "recordings"));
  const text = await readFile(join(folder, "deep", "recordings", name), "utf8");
  expect([text.endsWith("}\n"), text.includes("bob@example.com"), text.includes("[redacted email]")]).toEqual([
    true,
    false,
    true,
  ]);
  // A file where the folder should be: whatever the disk says, the agent goes on.
  await writeFile(join(folder, "taken"), "");
  const refused = createRecorder({ to: join(folder, "taken") });
  expect((await ask(refused, says("fine"), "hi")).text).toBe("fine");
  await refused.flush();
  expect(refused.status().waiting).toBe(1);
});
