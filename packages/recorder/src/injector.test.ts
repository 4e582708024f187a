import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText, wrapLanguageModel, type LanguageModel, type ModelMessage } from "ai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { planTrip } from "../../../examples/trip-agent.ts";
import type { Body, ScriptedProvider } from "../../../examples/scripted-provider.ts";
import { scriptedInProcess } from "../../../test/support/scripted-fetch.ts";
import { NO_STATISTICS } from "limbeck-core/skill/library/library-skill";
import { openLibrary } from "limbeck-core/skill/library/library";
import { readRecordedLine } from "limbeck-store/store/formats/recorded-lines";
import { recordedTrajectory } from "limbeck-store/store/formats/recorded-trajectory";
import { createInjector, type Injector, type InjectorOptions } from "./injector.ts";
import type { CallLine } from "./lines.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { writeSection } from "./selection/section.ts";
import type { InjectedSkill } from "./skills.ts";

const warmer: InjectedSkill = {
  id: "warmer",
  text: "To say which city is warmer, ask for both at once.",
  when: { goal: "Which is warmer, {1} or {2}?" },
};
const skills = [warmer, { id: "tax", text: "Tax is due in May." }];
const section = writeSection([{ name: "warmer", level: "task", text: warmer.text }]);
const question = "Which is warmer, Paris or Rome?";
const system = "You compare cities. Use the tools; do not guess.";

let provider: ScriptedProvider;
let folder: string;
beforeEach(async () => {
  provider = scriptedInProcess();
  folder = await mkdtemp(join(tmpdir(), "limbeck-injector-"));
});
afterEach(async () => {
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

const scripted = (
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Parameters<typeof wrapLanguageModel>[0]["model"] =>
  createOpenAICompatible({ name: "scripted", baseURL: provider.url, fetch })("scripted");
const systemOf = (body: Body | undefined): unknown => body?.messages?.find(({ role }) => role === "system")?.content;

function held(): { readonly recorder: Recorder; readonly calls: () => Promise<CallLine[]> } {
  const lines: CallLine[] = [];
  const write = (texts: readonly string[]): Promise<void> => {
    for (const text of texts) {
      const line = JSON.parse(text) as CallLine;
      if (line.limbeck === "call") lines.push(line);
    }
    return Promise.resolve();
  };
  const recorder = createRecorder({ to: { write } });
  return {
    recorder,
    calls: async () => {
      await recorder.flush();
      return lines;
    },
  };
}

test("an agent of the AI SDK gets the skill that fits at every call, and its recording names it", async () => {
  const { recorder, calls } = held();
  const injector = createInjector({ skills });
  const model = scripted();
  const guided = wrapLanguageModel({ model, middleware: [injector.middleware, recorder.middleware] });
  expect(await planTrip(guided, question)).toContain("Rome is warmer");
  await planTrip(wrapLanguageModel({ model, middleware: recorder.middleware }), question);
  expect(provider.requests.map(systemOf)).toEqual([
    ...Array<string>(2).fill(`${system}\n\n${section}`),
    ...Array<string>(2).fill(system),
  ]);
  expect(injector.status()).toEqual({ injected: 2, passed: 0, failures: 0, skills: 2, skipped: 0 });
  const lines = await calls();
  expect(lines.map((line) => line.skills)).toEqual([["warmer"], ["warmer"], undefined, undefined]);
  // With and without the skill it is the same task: what lift is measured on.
  const [one, other] = [lines.slice(0, 2), lines.slice(2)].map((part) =>
    recordedTrajectory({
      id: part[0]?.trajectory ?? "",
      calls: part.flatMap((line) => readRecordedLine(line, { file: "f", line: 1 })).filter((l) => l.limbeck === "call"),
      feedback: [],
    }),
  );
  expect(one?.task).toEqual(other?.task);
  expect([one?.info, one?.steps[1]?.info]).toMatchObject([
    { recorder: { skills: ["warmer"] } },
    { recorder: { skills: ["warmer"] } },
  ]);
  expect(other?.info?.["recorder"]).not.toHaveProperty("skills");
});

test("a stream gets it too; a system prompt is made where there is none; two injectors give one section", async () => {
  const injector = createInjector({ skills });
  const middleware = injector.middleware;
  const model = wrapLanguageModel({ model: scripted(), middleware: [middleware, middleware] });
  await streamText({ model, prompt: question }).consumeStream();
  expect(provider.requests[0]?.messages).toEqual([
    { role: "system", content: section },
    { role: "user", content: question },
  ]);
  expect(injector.status()).toMatchObject({ injected: 1, passed: 1 });
  await generateText({ model, system: "Be brief.", prompt: "Hello!" });
  expect(systemOf(provider.requests[1])).toBe("Be brief.");
});

test("a wrapped model is the same model with skills; the goal and the latest word choose, tool results do not", async () => {
  const injector = createInjector({ skills });
  const inner = scripted();
  const model = injector.model(inner);
  expect([model.modelId, model.provider]).toEqual([inner.modelId, inner.provider]);
  const talk = (...messages: ModelMessage[]): Promise<unknown> =>
    generateText({ model: model as LanguageModel, messages });
  await talk({ role: "user", content: question });
  await talk(
    { role: "user", content: "Hello." },
    { role: "assistant", content: "When is tax due? In May." },
    { role: "user", content: [{ type: "text", text: question }] },
  );
  expect(provider.requests.map(systemOf)).toEqual([section, section]);
});

const shapes = {
  "chat/completions": {
    messages: [
      { role: "developer", content: system },
      { role: "user", content: question },
    ],
  },
  messages: {
    system: [{ type: "text", text: system, cache_control: { type: "ephemeral" } }],
    messages: [{ role: "user", content: [{ type: "text", text: question }] }],
  },
  responses: { instructions: system, input: question },
} as const;

test.each(Object.entries(shapes))("fetch puts it into the body of %s, through the recorder's", async (path, asked) => {
  const { recorder, calls } = held();
  const injector = createInjector({ skills, fetch: recorder.fetch });
  const body = JSON.stringify({ model: "scripted", seed: 7, ...asked });
  const headers = { "content-type": "application/json", "content-length": `${body.length}` };
  const response = await injector.fetch(`${provider.url}/${path}`, { method: "POST", headers, body });
  expect(response.status).toBe(200);
  await response.text();
  const grown = `${system}\n\n${section}`;
  const expected = {
    "chat/completions": { messages: [{ role: "developer", content: grown }, shapes["chat/completions"].messages[1]] },
    messages: { ...shapes.messages, system: [...shapes.messages.system, { type: "text", text: section }] },
    responses: { instructions: grown, input: question },
  }[path];
  expect(provider.requests).toEqual([{ model: "scripted", seed: 7, ...expected }]);
  expect((await calls()).map((line) => line.skills)).toEqual([["warmer"]]);
});

test("clients stream through fetch in both shapes, without a system prompt of their own", async () => {
  const injector = createInjector({ skills });
  const claude = createAnthropic({ baseURL: provider.url, apiKey: "none", fetch: injector.fetch })("scripted");
  await streamText({ model: claude, prompt: question, maxOutputTokens: 100 }).consumeStream();
  await streamText({ model: scripted(injector.fetch), prompt: question }).consumeStream();
  expect(provider.requests.map((body) => [body.stream, body["system"] ?? systemOf(body)])).toEqual([
    [true, section],
    [true, section],
  ]);
});

/** One call through each door; what arrived must be what was sent, to the letter. */
async function expectUntouched(options: InjectorOptions, failures: number, problem: string): Promise<Injector> {
  const errors: unknown[] = [];
  const sent: unknown[] = [];
  const fetch: typeof globalThis.fetch = (_input, init) => {
    sent.push(init);
    return Promise.resolve(new Response("{}"));
  };
  const onError = (error: unknown): void => {
    errors.push(error);
    throw new Error("a listener that fails");
  };
  const injector = createInjector({ ...options, fetch, onError });
  const params = { prompt: [{ role: "user", content: [{ type: "text", text: question }] }] };
  expect(await injector.middleware.transformParams({ params })).toBe(params);
  const init = { method: "POST", body: JSON.stringify(shapes.responses) };
  await injector.fetch(`${provider.url}/responses`, init);
  expect(sent[0]).toBe(init);
  expect(errors).toHaveLength(failures);
  expect(injector.status()).toMatchObject({ injected: 0, failures, skills: 0 });
  expect(injector.status().problem).toContain(problem);
  return injector;
}

test("a loader that throws, is late, or gives nonsense leaves the request as it was and is counted once", async () => {
  const broken = join(folder, "broken.json");
  await writeFile(broken, '[{"id": "a"');
  const never = (): Promise<unknown> => new Promise(() => undefined);
  const throws = (): never => {
    throw new Error("no library today");
  };
  await expectUntouched({ skills: throws }, 1, "no library today");
  await expectUntouched({ skills: () => Promise.reject(new Error("gone")) }, 1, "gone");
  await expectUntouched({ skills: never, timeoutMs: 5 }, 1, "longer than 5 ms");
  await expectUntouched({ skills: broken }, 1, "JSON");
  await expectUntouched({ skills: join(folder, "missing.json") }, 1, "ENOENT");
  await expectUntouched({ skills: () => ({ rules: [] }) }, 1, "must be a list");
  // Port 9 of this machine: nobody listens.
  await expectUntouched({ skills: "http://127.0.0.1:9/skills.json" }, 1, "fetch failed");
});

test("requests that cannot be read pass: strange bodies, other paths, prompts of another kind", async () => {
  const injector = createInjector({ skills });
  for (const params of [undefined, 3, {}, { prompt: "text" }, { prompt: [null, 4] }]) {
    expect(await injector.middleware.transformParams({ params })).toBe(params);
  }
  for (const [path, body] of [
    ["chat/completions", '{"messages": 3}'],
    ["embeddings", "{}"],
  ] as const) {
    await (await injector.fetch(`${provider.url}/${path}`, { method: "POST", body })).text();
  }
  expect(provider.requests).toEqual([{ messages: 3 }, {}]);
  await expect(injector.fetch("http://127.0.0.1:9/v1/messages", { method: "POST", body: "{" })).rejects.toThrow(
    "fetch",
  );
  expect(injector.status()).toMatchObject({ injected: 0, failures: 0 });
});

test("a library of limbeck skills: what is in use is injected, by its index", async () => {
  const library = openLibrary(folder);
  const skill = {
    name: "compare-cities",
    description: "d",
    level: "task" as const,
    status: "active" as const,
    when: { goals: ["Which is warmer, {1} or {2}?"] },
    text: "Ask for both at once.",
    evidence: [],
    support: { successes: 2, failures: 0 },
    statistics: NO_STATISTICS,
    source: "test",
  };
  const act = { by: "test", action: "added" };
  await library.add(skill, act);
  await library.add({ ...skill, name: "hidden", status: "quarantined", text: "Send it away." }, act);
  await library.list();
  const injector = createInjector({ skills: folder });
  await generateText({ model: injector.model(scripted()), system, prompt: question, maxRetries: 0 });
  const said = String(systemOf(provider.requests[0]));
  expect(said).toContain(JSON.stringify({ name: "compare-cities" }).slice(1, -1));
  expect(said).toContain("Ask for both at once.");
  expect(said).not.toContain("Send it away");
  expect(injector.status()).toMatchObject({ injected: 1, skills: 1 });
});
