import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import {
  scriptedTrainers,
  type ScriptedAnswer,
  type ScriptedTrainer,
} from "../../../../../test/support/scripted-trainer.ts";
import { errorCode, type EngineError } from "limbeck-base/base/errors";
import { connectTinker, type TinkerClient } from "./client.ts";
import { datumOf } from "./datum.ts";
import type { TrainingClient } from "./training-client.ts";

const start = scriptedTrainers();
const FUTURE = "/api/v1/retrieve_future";
const MADE: ScriptedAnswer = { body: { model_id: "model_1" } };
const STEPPED: ScriptedAnswer = { body: { metrics: { norm: 1 } } };
const SUBMITTED: ScriptedAnswer = { body: { request_id: "2", future_id: "2", status: "pending" } };
const ADAM = { learning_rate: 1, beta1: 0, beta2: 0, eps: 1, weight_decay: 0, grad_clip_norm: 0 };
const datum = datumOf(Int32Array.of(1, 2, 3), 3, { weights: [0, 1, 1] });

async function opened(script: Parameters<typeof start>[0]): Promise<{
  readonly server: ScriptedTrainer;
  readonly client: TinkerClient;
  readonly model: TrainingClient;
}> {
  const { [FUTURE]: futures = [], ...rest } = script;
  const server = await start({ "/api/v1/optim_step": [SUBMITTED], ...rest, [FUTURE]: [MADE, ...futures] });
  const client = await connectTinker({ url: server.url, clock: server.clock, apiKey: "tml-secret", attempts: 4 });
  const model = await client.createModel({ baseModel: "base", rank: 4 });
  client.close();
  return { server, client, model };
}

async function failure(work: Promise<unknown>): Promise<EngineError> {
  return await work.then(
    () => Promise.reject(new Error("It did not fail.")),
    (error: unknown) => error as EngineError,
  );
}

test("a result that is not there yet is asked for again: 408, try_again, only the size, a broken connection", async () => {
  const { model, server } = await opened({
    [FUTURE]: [
      { status: 408, body: { detail: "not ready" } },
      { body: { type: "try_again", request_id: "2", queue_state: "active" } },
      { body: { type: "try_again", request_id: "2", queue_state: "paused_capacity" } },
      { body: { status: "complete_metadata", response_payload_size: 9 } },
      { drop: true },
      { status: 429, body: { detail: "slow down" }, headers: { "retry-after": "1" } },
      { status: 503, body: "Bad Gateway" },
      STEPPED,
    ],
  });
  expect(await model.optimStep(ADAM)).toEqual({ norm: 1 });
  // Waits: paused, broken, 429, 503; none after 408, try_again while active, or metadata.
  expect(server.waits).toHaveLength(4);
  const polls = server.asked.filter(({ path }) => path === FUTURE);
  expect(polls.map(({ body }) => body["request_id"])).toEqual(["1", "2", "2", "2", "2", "2", "2", "2", "2"]);
});

test('hours of "not yet", "too much" and "not now" are no failures, with growing pauses; a rest that is asked for is kept', async () => {
  const busy = [408, 429, 503, 504].map((status): ScriptedAnswer => ({ status, body: { detail: "busy" } }));
  const { model, server } = await opened({
    [FUTURE]: [
      ...Array.from({ length: 200 }, (_, at) => busy[at % busy.length] as ScriptedAnswer),
      { status: 429, body: { detail: "rest" }, headers: { "retry-after": "600" } },
      STEPPED,
    ],
  });
  expect(await model.optimStep(ADAM)).toEqual({ norm: 1 });
  expect(server.waits.at(-1)).toBe(600_000);
  // The pauses reach half a minute, with up to half of it drawn.
  expect(server.waits.slice(20, 199).every((wait) => wait >= 15_000 && wait <= 30_000)).toBe(true);
});

test("a submit to a busy server is repeated for hours, and told; a server that is gone is not", async () => {
  const notices: string[] = [];
  const busy: ScriptedAnswer = { status: 503, body: { detail: "starting" } };
  const server = await start({
    "/api/v1/get_server_capabilities": [
      ...Array.from({ length: 300 }, () => busy),
      { body: { supported_models: [{ model_name: "base" }] } },
    ],
  });
  const onNotice = (message: string): void => void notices.push(message);
  const client = await connectTinker({ url: server.url, clock: server.clock, onNotice });
  client.close();
  expect(server.waits).toHaveLength(300);
  expect(notices).toEqual([expect.stringContaining("tried again")]);
});

test("a server that is started anew while a result is waited for is asked again until it is back", async () => {
  const { model, server } = await opened({
    [FUTURE]: [...Array.from({ length: 15 }, (): ScriptedAnswer => ({ drop: true })), STEPPED],
  });
  expect(await model.optimStep(ADAM)).toEqual({ norm: 1 });
  // 0.25 s doubled each time, up to 30 s, of which at least a half is waited: more than two minutes.
  expect(server.waits.reduce((total, wait) => total + wait, 0)).toBeGreaterThan(120_000);
});

test("a failed piece of work is a 400 of its question, although its submit succeeded; the hosted form has status 200", async () => {
  const { model } = await opened({
    [FUTURE]: [
      { status: 400, body: { detail: "rank too large" } },
      { body: { error: "no capacity", category: "server" } },
    ],
  });
  const [first, second] = [await failure(model.optimStep(ADAM)), await failure(model.optimStep(ADAM))];
  expect([first.code, first.message]).toEqual([
    "trainer-work-failed",
    "The trainer could not do optim_step: rank too large.",
  ]);
  expect([second.code, second.message]).toEqual(["trainer-work-failed", expect.stringContaining("no capacity")]);
});

test("the meaning of each refusal, with its cure", async () => {
  const cases: readonly [ScriptedAnswer, string, RegExp][] = [
    [{ status: 401, body: { detail: "bad key tml-secret" } }, "trainer-key-refused", /TINKER_API_KEY/],
    [{ status: 402, body: { detail: "pay" } }, "trainer-unpaid", /billing/],
    [{ status: 404, body: { detail: "Model not found" } }, "trainer-forgot", /--resume/],
    [{ status: 400, body: { detail: "Model model_1 not loaded" } }, "trainer-forgot", /restarted/],
    [{ status: 404, body: { detail: "Checkpoint not found" } }, "trainer-missing", /Checkpoint not found/],
    [{ status: 409, body: { detail: "seq_id reused" } }, "trainer-refused", /409.*seq_id reused/],
    [
      { status: 422, body: { detail: [{ loc: ["body", "x"], msg: "Field required" }] } },
      "trainer-refused",
      /body\.x: Field required/,
    ],
    [{ status: 422, body: { detail: "bad zstd" } }, "trainer-refused", /bad zstd/],
    [{ status: 500, body: "Internal Server Error" }, "trainer-failed", /500: Internal Server Error/],
    [{ status: 200, body: "<html>" }, "trainer-bad-response", /not JSON/],
    [{ status: 200, body: { nothing: 1 } }, "trainer-bad-response", /request_id/],
  ];
  for (const [answer, code, message] of cases) {
    const { model, server } = await opened({ "/api/v1/optim_step": [answer] });
    const error = await failure(model.optimStep(ADAM));
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
    expect(error.message).not.toContain("tml-secret");
    // None of these is cured by asking again.
    expect(server.waits).toEqual([]);
  }
});

test("a submit whose answer is lost is repeated with the same number and key, and given up in the end", async () => {
  const { model, server } = await opened({
    "/api/v1/optim_step": [
      { drop: true },
      { status: 429, body: { detail: "wait" }, headers: { "retry-after": "7" } },
      SUBMITTED,
    ],
    [FUTURE]: [STEPPED],
  });
  await model.optimStep(ADAM);
  const submits = server.asked.filter(({ path }) => path === "/api/v1/optim_step");
  expect(submits.map(({ body }) => body["seq_id"])).toEqual([1, 1, 1]);
  expect(new Set(submits.map(({ headers }) => headers["x-idempotency-key"])).size).toBe(1);
  expect(submits[0]?.headers["x-api-key"]).toBe("tml-secret");
  expect(server.waits[1]).toBe(7_000);

  const dead = await opened({ "/api/v1/optim_step": [{ drop: true }] });
  const error = await failure(dead.model.optimStep(ADAM));
  expect([error.code, error.message]).toEqual([
    "trainer-unreachable",
    expect.stringContaining("Gave up after 4 attempts"),
  ]);
});

test("expired work is handed in again", async () => {
  const { client, server } = await opened({
    "/api/v1/asample": [SUBMITTED],
    [FUTURE]: [
      { status: 410, body: { detail: "expired" } },
      { body: { sequences: [{ stop_reason: "stop", tokens: [4], logprobs: [-1] }] } },
    ],
  });
  const { sequences } = await client.samplesOf("sampling_1").sample({ prompt: [1], params: { max_tokens: 1 } });
  expect(sequences[0]).toMatchObject({ tokens: [4], logprobs: [-1], stopReason: "stop" });
  expect(server.asked.filter(({ path }) => path === "/api/v1/asample")).toHaveLength(2);
});

test("prompt log-probabilities are aligned with the prompt, with and without an entry for the first token", async () => {
  const sequences = [{ stop_reason: "length", tokens: [4], logprobs: [-1] }];
  const { client } = await opened({
    "/api/v1/asample": [SUBMITTED],
    [FUTURE]: [
      { body: { sequences, prompt_logprobs: [-1, -2] } },
      { body: { sequences, prompt_logprobs: [null, -1, -2] } },
      { body: { sequences, prompt_logprobs: [-1] } },
    ],
  });
  const ask = () =>
    client.samplesOf("s").sample({ prompt: [1, 2, 3], params: { max_tokens: 1 }, promptLogprobs: true });
  expect((await ask()).promptLogprobs).toEqual([null, -1, -2]);
  expect((await ask()).promptLogprobs).toEqual([null, -1, -2]);
  expect((await failure(ask())).message).toContain("3 tokens got 1 prompt log-probabilities");
});

test("numbers that are none are the trainer's fault, named by call, place and value; the address is not doubted", async () => {
  const sequence = { stop_reason: "length", tokens: [4, 5] };
  const output = { elementwise_loss: { data: [0, 0] } };
  const { client, model } = await opened({
    "/api/v1/asample": [SUBMITTED],
    "/api/v1/forward": [SUBMITTED],
    "/api/v1/forward_backward": [SUBMITTED],
    [FUTURE]: [
      { body: { sequences: [{ ...sequence, logprobs: [-1, null] }] } },
      { body: { loss_fn_outputs: [{ ...output, logprobs: { data: [-1, null] } }] } },
      { body: '{"loss_fn_outputs": [{"logprobs": {"data": [-1, -1]}}], "metrics": {"loss:sum": NaN}}' },
      { body: { metrics: { grad_norm: null } } },
    ],
  });
  const sample = () => client.samplesOf("s").sample({ prompt: [1], params: { max_tokens: 2 } });
  for (const [work, where] of [
    [sample, 'asample holds no number at "sequences.0.logprobs.1"'],
    [() => model.forward([datum]), 'forward holds no number at "loss_fn_outputs.0.logprobs.data.1"'],
    [() => model.forwardBackward([datum]), 'forward_backward holds no number at "metrics.loss:sum"'],
    [() => model.optimStep(ADAM), 'optim_step holds no number at "metrics.grad_norm"'],
  ] as const) {
    const error = await failure(work());
    expect([error.code, error.message]).toEqual(["trainer-not-finite", expect.stringContaining(where)]);
    expect(error.message).not.toContain("address");
  }
});

test("requests are handed in in order, whatever their results do, and a batch goes in parts", async () => {
  const passed = (asked: { readonly body: Readonly<Record<string, unknown>> }): ScriptedAnswer => {
    const id = Number(asked.body["request_id"]);
    const data = [-id, -id];
    return {
      body: { loss_fn_outputs: [{ logprobs: { data }, elementwise_loss: { data } }], metrics: { "n:sum": id } },
    };
  };
  let number = 10;
  const { client, server } = await opened({
    "/api/v1/forward_backward": [() => ({ body: { request_id: String((number += 1)) } })],
    [FUTURE]: [MADE, passed],
  });
  const again = await connectTinker({ url: server.url, clock: server.clock, limits: { datums: 1 } });
  const model = await again.createModel({ baseModel: "base", rank: 4 });
  const { logprobs, metrics } = await model.forwardBackward([datum, datum, datum]);
  expect(logprobs.map((row) => [...row])).toEqual([
    [-11, -11],
    [-12, -12],
    [-13, -13],
  ]);
  // 11 + 12 + 13
  expect(metrics).toEqual({ "n:sum": 36 });
  const numbers = server.asked
    .filter(({ path }) => path === "/api/v1/forward_backward")
    .map(({ body }) => body["seq_id"]);
  expect(numbers).toEqual([1, 2, 3]);
  again.close();
  client.close();
});

test("a call can be given up while its result is awaited", async () => {
  const { model, server } = await opened({ [FUTURE]: [{ status: 408, body: { detail: "not ready" } }] });
  const stop = new AbortController();
  const work = model.optimStep(ADAM, stop.signal);
  while (server.asked.length < 10) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  expect(errorCode(await failure(work))).toBe("cancelled");
});

test("what servers answer with a bare 500 is refused before it is sent", async () => {
  const { model, server } = await opened({});
  const sent = server.asked.length;
  const broken = {
    ...datum,
    loss_fn_inputs: { ...datum.loss_fn_inputs, weights: { data: [1], dtype: "float32" as const, shape: [1] } },
  };
  expect((await failure(model.forward([broken]))).message).toContain("weights has 1 entries for 2 tokens");
  expect((await failure(model.forward([]))).code).toBe("empty-batch");
  const infinite = datumOf(Int32Array.of(1, 2), 2, { advantages: [0, Number.POSITIVE_INFINITY] });
  expect((await failure(model.forward([infinite]))).message).toContain("advantages holds Infinity");
  expect(server.asked).toHaveLength(sent);
});

test("addresses that cannot be one are refused", async () => {
  expect((await failure(connectTinker({ url: "gpu-1:8000" }))).code).toBe("bad-option");
  expect((await failure(connectTinker({ url: "http://me:secret@gpu-1" }))).message).not.toContain("secret");
});

test("a server of ours gives a sample with its answer to the submit, and others are asked for it", async () => {
  const sample = { sequences: [{ tokens: [7], logprobs: [-1], stop_reason: "stop" }] };
  const { client, server } = await opened({
    "/api/v1/asample": [{ body: { request_id: "5", limbeck: { result: sample } } }, { body: { request_id: "6" } }],
    [FUTURE]: [{ body: sample }],
  });
  const asked = server.asked.length;
  const samples = client.samplesOf("sampling_1");
  const params = { max_tokens: 1, temperature: 1, top_k: -1, top_p: 1 };
  const [first] = (await samples.sample({ prompt: [1, 2], params })).sequences;
  expect(first?.tokens).toEqual([7]);
  expect(server.asked.slice(asked).map(({ path, headers }) => [path, headers["x-limbeck-wait"]])).toEqual([
    ["/api/v1/asample", "30"],
  ]);
  await samples.sample({ prompt: [1, 2], params });
  expect(server.asked.slice(asked + 1).map(({ path }) => path)).toEqual(["/api/v1/asample", FUTURE]);
});

test("an address that has moved is followed", async () => {
  const { server } = await opened({});
  const { url } = server;
  const moved = createServer((request, response) => {
    response.writeHead(308, { location: url + (request.url ?? "") }).end();
  });
  await new Promise<void>((resolve) => void moved.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = moved.address() as AddressInfo;
    const client = await connectTinker({ url: `http://127.0.0.1:${port}`, clock: server.clock, attempts: 1 });
    expect(client.session.id).not.toBe("");
    client.close();
  } finally {
    moved.close();
  }
});
