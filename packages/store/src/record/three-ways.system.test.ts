/**
 * One script of calls, recorded in every way: middleware, recorded fetch, the recorder's own files, proxy, and OpenTelemetry in the
 * AI SDK's names and in those of the GenAI conventions. The same trajectories come of it, failed tries and errors included.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import {
  generateText,
  jsonSchema,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
  type LanguageModel,
  type TelemetrySettings,
} from "ai";
import { beforeAll, describe, expect, test } from "vitest";
import { startScriptedProvider } from "../../../../examples/scripted-provider.ts";
import {
  ANSWER,
  CASES,
  DEGREES,
  faultsOf,
  HALF,
  isStreamed,
  playBare,
  questionOf,
  SYSTEM,
  TOOL,
  type BareOptions,
  type Case,
} from "../../../../test/support/one-script.ts";
import { essence, startRecording } from "../../../../test/support/recording.ts";
import { sendSpans } from "../../../../test/support/spans-of-calls.ts";
import { recorder as recorderFormat } from "../store/formats/recorder.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { createRecorder } from "limbeck-recorder/recorder";

beforeAll(() => {
  // The AI SDK writes to the console that it does not know a model named "scripted".
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
});

const AGENT = "trip-agent";
const chat = (baseURL: string): LanguageModel =>
  createOpenAICompatible({ name: "scripted", baseURL, includeUsage: true })("scripted");
const claude = (baseURL: string): LanguageModel => createAnthropic({ baseURL, apiKey: "none-needed-here" })("scripted");

/** An agent of the AI SDK: it knows nothing of recording. */
async function playSdk(name: string, model: LanguageModel, telemetry?: TelemetrySettings): Promise<void> {
  const known = CASES.find((one) => one === name) ?? "plain";
  const leaving = new AbortController();
  const options = {
    model,
    system: SYSTEM,
    prompt: questionOf(name),
    tools: {
      weather: tool({
        description: TOOL.description,
        inputSchema: jsonSchema<{ city: string }>(TOOL.parameters as never),
        execute: ({ city }) => Promise.resolve(DEGREES[city] ?? "unknown"),
      }),
    },
    stopWhen: stepCountIs(5),
    maxRetries: 2,
    abortSignal: leaving.signal,
    ...(telemetry === undefined ? {} : { experimental_telemetry: telemetry }),
  };
  if (!isStreamed(known)) return void (await generateText(options));
  let problem: unknown;
  const onError = ({ error }: { readonly error: unknown }): void => void (problem = error);
  for await (const part of streamText({ ...options, onError }).fullStream) {
    if (part.type === "text-delta" && known === "left") leaving.abort();
    if (part.type === "abort") problem = leaving.signal.reason;
  }
  if (problem !== undefined) throw problem;
}

interface Playing {
  /** Of the provider. */
  readonly provider: string;
  /** Of the proxy that records. */
  readonly proxy: string;
  /** Plays everything in one run under its name, or without a name. */
  each(play: (name: string, run: string | undefined) => Promise<void>): Promise<void>;
}

/** Every case under a name of its own, then two conversations at once that nobody names. */
async function each(play: (name: string, run: string | undefined) => Promise<void>): Promise<void> {
  for (const name of CASES) await play(name, name).catch(() => undefined);
  await Promise.all(["one", "other"].map((name) => play(name, undefined)));
}

/** What is stored after all of it. */
async function recorded(work: (at: Playing) => Promise<Trajectory[] | void>): Promise<object[]> {
  const provider = await startScriptedProvider(faultsOf());
  const setup = await startRecording(provider.url);
  try {
    const given = await work({ provider: provider.url, proxy: setup.proxy.url, each });
    const all = given ?? (await setup.finish());
    return all.map(told).sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  } finally {
    await setup.remove();
    await provider.close();
  }
}

/** Everything but clocks, made-up ids and the recorder's own notes; and which calls failed, where and why. */
function told(trajectory: Trajectory): object {
  const { errors = [], calls } = (trajectory.info?.["recorder"] ?? { calls: -1 }) as {
    readonly calls: number;
    readonly errors?: readonly { readonly step: number; readonly code: string; readonly message: string }[];
  };
  const { id, usage, steps, ...rest } = essence(trajectory) as Pick<Trajectory, "id" | "usage" | "steps">;
  // What a broken answer cost is known to who reads Anthropic's stream, and to nobody else.
  const isWhole = trajectory.ending !== "failed";
  return {
    ...rest,
    steps: isWhole ? steps : steps.map(({ usage: _usage, ...step }) => step),
    ...(isWhole ? { usage } : {}),
    id: CASES.includes(id as Case) ? id : "made up",
    calls,
    errors: errors.map(({ step, code, message }) => ({ step, code, message })),
  };
}

const scoped = (base: string, run: string | undefined): string =>
  `${base}${run === undefined ? "" : `/run/${run}/task/${run}`}/agent/${AGENT}/v1`;

type Way = (at: Playing) => Promise<Trajectory[] | void>;

/** The recorder in the process of the agent; `play` gets what the way wraps. */
function byRecorder(
  play: (name: string, recorder: ReturnType<typeof createRecorder>, at: Playing) => Promise<void>,
): Way {
  return async (at) => {
    const recorder = createRecorder({ to: at.proxy, agent: AGENT });
    await at.each((name, run) =>
      run === undefined
        ? play(name, recorder, at)
        : recorder.run({ id: run, task: run }, () => play(name, recorder, at)),
    );
    await recorder.flush();
    expect(recorder.status()).toMatchObject({ waiting: 0, dropped: 0 });
  };
}

const byMiddleware = (model: (base: string) => LanguageModel): Way =>
  byRecorder((name, { middleware }, { provider }) =>
    playSdk(name, wrapLanguageModel({ model: model(provider) as never, middleware })),
  );
const byWrappedModel = (model: (base: string) => LanguageModel): Way =>
  byRecorder((name, recorder, { provider }) =>
    playSdk(name, recorder.model(model(provider) as object) as LanguageModel),
  );
const byFetch = (wire: BareOptions["wire"]): Way =>
  byRecorder((name, { fetch }, { provider }) => playBare(name, { wire, base: provider, fetch }));

/** The files that `limbeck import` reads. */
const byFiles =
  (wire: BareOptions["wire"]): Way =>
  async (at) => {
    const to = await mkdtemp(join(tmpdir(), "limbeck-recordings-"));
    const recorder = createRecorder({ to, agent: AGENT });
    await at.each((name, run) => {
      const play = (): Promise<void> => playBare(name, { wire, base: at.provider, fetch: recorder.fetch });
      return run === undefined ? play() : recorder.run({ id: run, task: run }, play);
    });
    await recorder.flush();
    const all: Trajectory[] = [];
    for await (const trajectory of recorderFormat.read(to, {})) all.push(trajectory);
    await rm(to, { recursive: true });
    return all;
  };

const byProxy =
  (model: (base: string) => LanguageModel): Way =>
  (at) =>
    at.each((name, run) => playSdk(name, model(scoped(at.proxy, run))));
const byProxyBare =
  (wire: BareOptions["wire"]): Way =>
  (at) =>
    at.each((name, run) => playBare(name, { wire, base: scoped(at.proxy, run) }));

const bySdkSpans =
  (model: (base: string) => LanguageModel): Way =>
  async (at) => {
    const exporter = new OTLPTraceExporter({ url: `${at.proxy}/v1/traces` });
    const tracing = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    tracing.register();
    const tracer = tracing.getTracer("test");
    await at.each((name, run) => {
      const metadata = run === undefined ? {} : { run, task: run };
      return playSdk(name, model(at.provider), { isEnabled: true, functionId: AGENT, metadata, tracer });
    });
    await tracing.forceFlush();
    await tracing.shutdown();
  };

const byGenAiSpans =
  (wire: BareOptions["wire"]): Way =>
  (at) =>
    at.each((name, run) =>
      sendSpans({ to: at.proxy, agent: AGENT, run }, (onCall) => playBare(name, { wire, base: at.provider, onCall })),
    );

describe("one script of calls", () => {
  let wanted: object[];
  beforeAll(async () => {
    wanted = await recorded(byProxyBare("chat"));
  });

  test("is what was played: every answered call a step, every failed try an error and no step", () => {
    const steps = [
      { observation: questionOf("retried"), action: 'weather({"city":"Paris"})\nweather({"city":"Rome"})' },
      { observation: "17\n24", action: ANSWER },
    ];
    const of = (id: string): object[] => wanted.filter((one) => (one as Trajectory).id === id);
    expect(of("retried")).toMatchObject([
      {
        task: { id: "retried", env: "chat", goal: questionOf("retried") },
        steps,
        ending: "terminated",
        success: null,
        calls: 5,
        // 80 + 120 tokens read, 30 + 14 written; what was refused cost none.
        usage: { promptTokens: 200, completionTokens: 44, modelCalls: 2 },
        errors: [
          { step: 0, code: "http-503", message: "overloaded" },
          { step: 0, code: "http-503", message: "overloaded" },
          { step: 1, code: "http-429", message: "slow down" },
        ],
      },
    ]);
    expect(of("refused")).toMatchObject([{ steps: [], ending: "failed", failure: { code: "http-400" }, calls: 1 }]);
    for (const [name, code] of [
      ["broken", "broken-off"],
      ["faulty", "provider-error"],
      ["left", "client-left"],
    ] as const) {
      expect(of(name)).toMatchObject([{ steps: [{ action: HALF }], ending: "failed", failure: { code } }]);
    }
    expect(of("made up").map((one) => (one as Trajectory).task.goal)).toEqual([questionOf("one"), questionOf("other")]);
  });

  test.each([
    ["middleware, chat completions", byMiddleware(chat)],
    ["middleware, Anthropic", byMiddleware(claude)],
    ["a wrapped model, chat completions", byWrappedModel(chat)],
    ["recorded fetch, chat completions", byFetch("chat")],
    ["recorded fetch, Anthropic", byFetch("messages")],
    ["recorded fetch, responses", byFetch("responses")],
    ["files of the recorder, chat completions", byFiles("chat")],
    ["proxy, AI SDK, chat completions", byProxy(chat)],
    ["proxy, AI SDK, Anthropic", byProxy(claude)],
    ["proxy, Anthropic", byProxyBare("messages")],
    ["proxy, responses", byProxyBare("responses")],
    ["OpenTelemetry in GenAI names", byGenAiSpans("chat")],
  ] as const)("is the same trajectories by %s", async (_way, way) => {
    expect(await recorded(way)).toEqual(wanted);
  });

  /** Its spans name no status, and the span of a call whose stream broke or was left is never ended. */
  test.each([
    ["chat completions", bySdkSpans(chat)],
    ["Anthropic", bySdkSpans(claude)],
  ] as const)("is the same by OpenTelemetry of the AI SDK, as far as its spans tell: %s", async (_way, way) => {
    const known = (one: object): boolean => !["broken", "faulty", "left"].includes((one as Trajectory).id);
    const plain = (all: readonly object[]): unknown =>
      JSON.parse(JSON.stringify(all.filter(known)).replaceAll(/"http-\d+"/g, '"provider-error"'));
    const all = await recorded(way);
    expect(plain(all)).toEqual(plain(wanted));
    const of = (name: string): object[] => all.filter((one) => (one as Trajectory).id === name);
    expect(of("faulty")).toMatchObject([{ steps: [{ action: HALF }], ending: "failed", errors: [{ step: 0 }] }]);
    // The agent's span comes, that of its call does not: it did not end well, whatever it was.
    expect(of("left").map((one) => [(one as Trajectory).steps.length, (one as Trajectory).ending])).toEqual([
      [0, "truncated"],
    ]);
  });
});
