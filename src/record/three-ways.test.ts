/** One agent, recorded by middleware, by proxy and by OpenTelemetry: the same trajectory three times. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { streamText, wrapLanguageModel, type LanguageModel } from "ai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startScriptedProvider, type ScriptedProvider } from "../../examples/scripted-provider.ts";
import { planTrip } from "../../examples/trip-agent.ts";
import { essence, startRecording, type RecordingSetup } from "../../test/support/recording.ts";
import type { Trajectory } from "../trajectory/index.ts";
import { createRecorder } from "./recorder/index.ts";

const QUESTION = "Which is warmer, Paris or Rome?";
const ANSWER = "Rome is warmer: 24 degrees against 17 in Paris.";
let provider: ScriptedProvider;
beforeAll(async () => {
  // The AI SDK writes to the console that it does not know a model named "scripted".
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  provider = await startScriptedProvider();
});
afterAll(() => provider.close());

const chat = (baseURL: string): LanguageModel =>
  createOpenAICompatible({ name: "scripted", baseURL, includeUsage: true })("scripted");
const claude = (baseURL: string): LanguageModel => createAnthropic({ baseURL, apiKey: "none-needed-here" })("scripted");

async function finished(setup: RecordingSetup): Promise<Trajectory[]> {
  const trajectories = await setup.finish();
  await setup.remove();
  return trajectories;
}

async function byMiddleware(model: LanguageModel): Promise<Trajectory[]> {
  const setup = await startRecording(provider.url);
  const recorder = createRecorder({ to: setup.proxy.url, agent: "trip-agent" });
  const recorded = wrapLanguageModel({ model: model as never, middleware: recorder.middleware });
  await recorder.run({ id: "trip-1", task: "warmer-city" }, () => planTrip(recorded, QUESTION));
  await recorder.flush();
  expect(recorder.status()).toMatchObject({ written: 3, waiting: 0, dropped: 0 });
  return await finished(setup);
}

async function byProxy(model: (baseURL: string) => LanguageModel): Promise<Trajectory[]> {
  const setup = await startRecording(provider.url);
  await planTrip(model(`${setup.proxy.url}/run/trip-1/task/warmer-city/agent/trip-agent/v1`), QUESTION);
  return await finished(setup);
}

async function byTelemetry(): Promise<Trajectory[]> {
  const setup = await startRecording(provider.url);
  const exporter = new OTLPTraceExporter({ url: `${setup.proxy.url}/v1/traces` });
  const tracing = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  tracing.register();
  const metadata = { run: "trip-1", task: "warmer-city" };
  const telemetry = { isEnabled: true, functionId: "trip-agent", metadata, tracer: tracing.getTracer("test") };
  await planTrip(chat(provider.url), QUESTION, { telemetry });
  await tracing.forceFlush();
  await tracing.shutdown();
  return await finished(setup);
}

describe("the example agent", () => {
  test("gives the same trajectory by middleware, proxy and OpenTelemetry, in both interfaces", async () => {
    const [middleware, ...more] = await byMiddleware(chat(provider.url));
    expect(more).toEqual([]);
    expect(middleware).toMatchObject({
      id: "trip-1",
      task: { id: "warmer-city", env: "chat", goal: QUESTION },
      policy: { name: "trip-agent", model: "scripted" },
      ending: "terminated",
      success: null,
      reward: { kind: "unscored", why: "no outcome yet" },
      // 80 + 120 tokens read, 30 + 14 written.
      usage: { promptTokens: 200, completionTokens: 44, modelCalls: 2 },
    });
    expect(middleware?.steps.map((step) => [step.observation, step.action])).toEqual([
      [QUESTION, 'weather({"city":"Paris"})\nweather({"city":"Rome"})'],
      ["17\n24", ANSWER],
    ]);
    const wanted = [essence(middleware as Trajectory)];
    expect((await byProxy(chat)).map(essence)).toEqual(wanted);
    expect((await byTelemetry()).map(essence)).toEqual(wanted);
    expect((await byMiddleware(claude(provider.url))).map(essence)).toEqual(wanted);
    expect((await byProxy(claude)).map(essence)).toEqual(wanted);
  });
});

describe.each([
  ["OpenAI", chat],
  ["Anthropic", claude],
] as const)("streaming in the %s shape", (_name, model) => {
  test("by middleware and by proxy gives the same trajectory, and the agent the same text", async () => {
    const setup = await startRecording(provider.url);
    const recorder = createRecorder({ to: setup.proxy.url });
    const read = async (wrapped: LanguageModel): Promise<string> =>
      await streamText({ model: wrapped, messages: [{ role: "user", content: "done?" }, ...ran] }).text;
    const direct = model(provider.url);
    await recorder.run({ id: "by-middleware", task: "stream" }, async () => {
      expect(await read(recorder.model(direct as object) as LanguageModel)).toBe(ANSWER);
    });
    await recorder.flush();
    expect(await read(model(`${setup.proxy.url}/run/by-proxy/task/stream/v1`))).toBe(ANSWER);
    const [one, two] = (await setup.finish()).sort((left, right) => (left.id < right.id ? -1 : 1));
    await setup.remove();
    expect(one?.steps[0]?.reply).toEqual({ role: "assistant", content: ANSWER });
    expect(one?.steps[0]?.info).toMatchObject({ recorder: { firstChunkMs: expect.any(Number) as number } });
    expect(one?.usage).toEqual({ promptTokens: 120, completionTokens: 14, modelCalls: 1 });
    expect({ ...essence(one as Trajectory), id: "" }).toEqual({ ...essence(two as Trajectory), id: "" });
  });
});

/** A history in which the tools have run. */
const ran = [
  {
    role: "assistant" as const,
    content: [{ type: "tool-call" as const, toolCallId: "call_1", toolName: "weather", input: { city: "Rome" } }],
  },
  {
    role: "tool" as const,
    content: [
      {
        type: "tool-result" as const,
        toolCallId: "call_1",
        toolName: "weather",
        output: { type: "text" as const, value: "24" },
      },
    ],
  },
];
