/** What the cases work with: plain requests, because a client would smooth over what they are looking for. */
import {
  type CaseTable,
  type CaseKind,
  Differs,
  expectStatus,
  expectThat,
  type RawAnswer,
  rawRequests,
} from "limbeck-base/base/conformance";
import { datumOf, type LossInputs } from "../datum.ts";
import { createHttp, type TinkerAddress, type TinkerHttp } from "../http.ts";
import { gradientNorm } from "../training-probe.ts";
import { createTrainingClient, type TrainingClient } from "../training-client.ts";
import type { AdamParams, Datum } from "../wire.ts";

export interface ForwardAnswer {
  readonly losses: readonly number[];
  readonly logprobs: readonly number[];
}

export type ConformanceBench = ReturnType<typeof createBench>;
export type BenchModel = ReturnType<typeof modelOf>;
export type TinkerCases = CaseTable<ConformanceBench>;

/** A case that has a model of its own. */
export function onModel(
  title: string,
  kind: CaseKind,
  run: (model: BenchModel, bench: ConformanceBench) => Promise<string | void>,
): TinkerCases[string] {
  return { title, kind, run: (bench) => bench.withModel((model) => run(model, bench)) };
}

export interface BenchOptions extends TinkerAddress {
  readonly baseModel: string;
  readonly rank: number;
  readonly signal?: AbortSignal | undefined;
  /** Between two signs of life of the session. Default: 10 s. */
  readonly heartbeatMs?: number | undefined;
}

const POLL_MS = 320_000;

export function createBench(options: BenchOptions) {
  const { baseModel, rank, heartbeatMs = 10_000 } = options;
  const http: TinkerHttp = createHttp(options, { attempts: 1, busyAttempts: 0, timeoutMs: POLL_MS });
  // Small token ids, so that every vocabulary has them.
  const tokens = Int32Array.of(3, 1, 4, 1, 5, 9, 2, 6, 5);
  let session: Promise<string> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const requests = createRequests(options);
  const { post, work, future } = requests;

  const openSession = async (): Promise<string> => {
    session ??= post("create_session", { tags: ["conformance"], user_metadata: null, sdk_version: "0.24.1" }).then(
      (answer) => {
        expectStatus(answer, [200]);
        const session_id = String(answer.json?.["session_id"]);
        // All cases together may take longer than a server waits for a sign of life.
        timer = setInterval(() => void post("session_heartbeat", { session_id }).catch(() => undefined), heartbeatMs);
        timer.unref();
        return session_id;
      },
    );
    return await session;
  };

  return {
    ...requests,
    address: options as TinkerAddress,
    baseModel,
    rank,
    tokens,
    session: openSession,
    datum: (inputs: LossInputs, own = tokens): Datum => datumOf(own, own.length, inputs),
    /** Ends the signs of life. */
    close: () => clearInterval(timer),
    /** A model of its own for the case, unloaded afterwards. */
    withModel: async <T>(use: (model: BenchModel) => Promise<T>, ownRank = rank): Promise<T> => {
      const body = { session_id: await openSession(), base_model: baseModel, lora_config: { rank: ownRank, seed: 1 } };
      const made = await work("create_model", body);
      const id = String(made["model_id"]);
      try {
        return await use(modelOf(id, createTrainingClient(http, id), work));
      } finally {
        const unloaded = await post("unload_model", { model_id: id });
        if (unloaded.status === 200) await future(unloaded);
      }
    },
  };
}

function createRequests({ url, apiKey, signal }: BenchOptions) {
  const key: Readonly<Record<string, string>> = apiKey === undefined ? {} : { "x-api-key": apiKey };
  const send = rawRequests(url.replace(/\/+$/, ""), key, { timeoutMs: POLL_MS, signal });
  const post = (path: string, body: unknown): Promise<RawAnswer> => send("POST", `/api/v1/${path}`, body);
  /** The answer of the work behind a submit, which must have succeeded. */
  const future = async (submitted: RawAnswer): Promise<RawAnswer> => {
    expectStatus(submitted, [200]);
    const request_id = submitted.json?.["request_id"];
    expectThat(typeof request_id === "string", `a submit answered without request_id: ${submitted.text.slice(0, 120)}`);
    for (;;) {
      const answer = await post("retrieve_future", { request_id });
      const { type, status } = answer.json ?? {};
      const waits = answer.status === 408 || type === "try_again" || status === "complete_metadata";
      if (!waits) return answer;
    }
  };
  return {
    get: (path: string, more?: Readonly<Record<string, string>>) =>
      send("GET", path.startsWith("/") ? path : `/api/v1/${path}`, undefined, more),
    post,
    remove: (path: string) => send("DELETE", `/api/v1/${path}`),
    future,
    /** Submits and waits; everything must have succeeded. */
    work: async (path: string, body: unknown): Promise<Readonly<Record<string, unknown>>> => {
      const answer = await future(await post(path, body));
      expectStatus(answer, [200]);
      return answer.json ?? {};
    },
    /** The answer of the work behind a request; that of the request itself where it was refused. */
    outcome: async (path: string, body: unknown): Promise<RawAnswer> => {
      const submitted = await post(path, body);
      return submitted.status === 200 ? await future(submitted) : submitted;
    },
  };
}

function modelOf(id: string, client: TrainingClient, work: ReturnType<typeof createRequests>["work"]) {
  const passOf =
    (path: "forward" | "forward_backward") =>
    async (
      data: readonly Datum[],
      loss_fn: string,
      config?: Readonly<Record<string, number>>,
    ): Promise<ForwardAnswer[]> => {
      const given = { data, loss_fn, ...(config === undefined ? {} : { loss_fn_config: config }) };
      return outputsOf(await work(path, { model_id: id, [`${path}_input`]: given }));
    };
  return {
    id,
    client,
    forward: passOf("forward"),
    forwardBackward: passOf("forward_backward"),
    /** The gradient norm it reported; NaN where it reports none. */
    step: async (adam: Partial<AdamParams> = {}): Promise<number> => {
      const still = { learning_rate: 0, beta1: 0.9, beta2: 0.95, eps: 1e-8, weight_decay: 0, ...adam };
      const answer = await work("optim_step", { model_id: id, adam_params: still });
      return gradientNorm((answer["metrics"] ?? {}) as Record<string, number>);
    },
  };
}

function outputsOf(answer: Readonly<Record<string, unknown>>): ForwardAnswer[] {
  const outputs = answer["loss_fn_outputs"];
  if (!Array.isArray(outputs)) throw new Differs("the result has no loss_fn_outputs");
  return outputs.map((output: Readonly<Record<string, { readonly data?: readonly number[] }>>) => ({
    losses: output["elementwise_loss"]?.data ?? [],
    logprobs: output["logprobs"]?.data ?? [],
  }));
}

// Datums that several cases use. Few shapes: some servers compile for each.

/** Every target with this weight. */
export function weighing({ datum, tokens }: ConformanceBench, weight = 1): Datum {
  return datum({ weights: new Float64Array(tokens.length).fill(weight) });
}

/** Weight 1 from the fifth token on, 0 before. */
export function halfWeighing({ datum, tokens }: ConformanceBench): Datum {
  return datum({ weights: Float64Array.from(tokens, (_, at) => Number(at > 4)) });
}

/** For losses with a ratio: behaviour log-probabilities at a distance from the current ones, and advantages of both signs. */
export function ratioDatum(
  { datum, tokens }: ConformanceBench,
  logprobs: readonly number[],
  distance: (token: number) => number,
): Datum {
  return datum({
    weights: new Float64Array(tokens.length).fill(1),
    logprobs: Float64Array.from(tokens, (_, at) => (at === 0 ? 0 : (logprobs[at - 1] as number) - distance(at))),
    advantages: Float64Array.from(tokens, (_, at) => (at % 2 === 0 ? 1 : -0.5)),
  });
}

// What the cases expect of an answer.

export function expectClose(got: ArrayLike<number>, wanted: ArrayLike<number>, tolerance: number, what: string): void {
  expectThat(got.length === wanted.length, `${what}: ${got.length} numbers for ${wanted.length}`);
  for (let at = 0; at < got.length; at += 1) {
    const distance = Math.abs((got[at] as number) - (wanted[at] as number));
    expectThat(distance <= tolerance, `${what}: ${got[at]} at place ${at} where ${wanted[at]} is expected`);
  }
}
