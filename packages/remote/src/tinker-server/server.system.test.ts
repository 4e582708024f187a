import { mkdtemp, readdir, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { remotePolicy, testTrainer, type TestTrainer } from "../../../../test/support/trainer.ts";
import type { Objective, TrainRow } from "limbeck-policy/policy/objective";
import { startTrainer } from "./server.ts";

let trainer: TestTrainer;
let root = "";
beforeAll(async () => {
  trainer = await testTrainer({ maxModels: 3, sessionTimeoutMs: 60_000, pollMs: 20 });
  root = await mkdtemp(join(tmpdir(), "limbeck-server-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const rows: readonly TrainRow[] = [{ ids: Int32Array.of(3, 1, 4, 1, 5), mask: Uint8Array.of(0, 1, 1, 1, 1) }];
const likely: Objective = {
  needs: ["logprob"],
  compute: ({ logprob = [] }) => ({
    loss: 0,
    weights: { logprob: logprob.map((row) => row.map((_, at) => (at === 0 ? 0 : -1))) },
  }),
};

const send = async (path: string, init: RequestInit): Promise<[number, unknown]> => {
  const response = await fetch(trainer.url + path, init);
  return [response.status, await response.json().catch(() => undefined)];
};
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  send(`/api/v1/${path}`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });

test("only JSON, only known ways, and nothing that a page in a browser could send", async () => {
  expect(await post("create_session", "{}", { "content-type": "text/plain" })).toEqual([
    415,
    { detail: expect.stringContaining("application/json") },
  ]);
  expect((await post("forward_backward", "x", { "content-type": "application/x-protobuf" }))[0]).toBe(422);
  expect((await post("forward", "x", { "content-type": "application/x-protobuf" }))[0]).toBe(415);
  expect(await post("create_session", "{")).toEqual([422, { detail: [expect.objectContaining({ loc: ["body"] })] }]);
  expect((await send("/api/v1/forward", { method: "GET" }))[0]).toBe(405);
  expect((await send("/api/v1/training_runs/..%2f..%2fetc/checkpoints", { method: "GET" }))[0]).toBe(404);
  expect((await send("/api/v1/training_runs/model_1/checkpoints/..%2fx/download", { method: "GET" }))[0]).toBe(422);
});

test("a page of another site, or a foreign name for this machine, makes nothing here", async () => {
  const body = { tags: [], sdk_version: "x" };
  const foreign = await post("create_session", body, { origin: "https://evil.example" });
  expect(foreign).toEqual([403, { detail: expect.stringContaining("other sites") }]);
  const renamed = await new Promise<number>((resolve, reject) => {
    const headers = { host: "evil.example", "content-type": "application/json" };
    const sent = request(`${trainer.url}/api/v1/create_session`, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject).end(JSON.stringify(body));
  });
  expect(renamed).toBe(403);
  const numbers = await (await fetch(`${trainer.url}/metrics`)).text();
  expect(numbers).toMatch(/^limbeck_trainer_queue \d+$/m);
});

test("the same idempotency key is the same request", async () => {
  const body = { tags: [], sdk_version: "x" };
  const [first, again, other] = [
    await post("create_session", body, { "x-idempotency-key": "a" }),
    await post("create_session", body, { "x-idempotency-key": "a" }),
    await post("create_session", body, { "x-idempotency-key": "b" }),
  ];
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
});

test("a client that waits gets the result with the answer to its submit; a repeated submit and a failure are as ever", async () => {
  const asked = {
    prompt: { chunks: [{ type: "encoded_text", tokens: [1, 2, 3] }] },
    sampling_params: { max_tokens: 2, temperature: 0 },
  };
  const waits = { "x-limbeck-wait": "30", "x-idempotency-key": "waits" };
  const patient = await startTrainer({ model: join(trainer.folder, "tiny"), checkpoints: root, local: { threads: 1 } });
  try {
    const ask = async (body: object, headers: Record<string, string>) => {
      const response = await fetch(`${patient.url}/api/v1/asample`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", ...headers },
      });
      return (await response.json()) as { request_id: string; limbeck?: { result: { sequences: object[] } } };
    };
    const here = { ...asked, base_model: patient.baseModel };
    const told = await ask(here, waits);
    expect(told.limbeck?.result.sequences).toHaveLength(1);
    expect(await ask(here, waits)).toEqual(told);
    expect(await ask(here, {})).not.toHaveProperty("limbeck");
    expect(await ask({ ...here, base_model: "another" }, { "x-limbeck-wait": "30" })).not.toHaveProperty("limbeck");
  } finally {
    await patient.close();
  }
});

test("models that find no room are refused, and room is made when one is unloaded", async () => {
  const open = await Promise.all([1, 2, 3].map(() => remotePolicy(trainer.url, { rank: 1 })));
  await expect(remotePolicy(trainer.url, { rank: 1 })).rejects.toMatchObject({
    code: "trainer-work-failed",
    message: expect.stringContaining("3 models are loaded"),
  });
  await Promise.all(open.map((policy) => policy.close()));
  await (await remotePolicy(trainer.url, { rank: 1 })).close();
});

test("earlier versions can be sampled from after a step, side by side with the newest, for a while", async () => {
  const policy = await remotePolicy(trainer.url);
  try {
    const talk = (seed: number) => {
      const conversation = policy.open({ seed });
      conversation.extend([3, 1, 4]);
      return conversation;
    };
    const before = await talk(1).sample({ maxTokens: 8 });
    const old = policy.client.samplesOf(await samplerOf(policy));
    const ask = () => old.sample({ prompt: [3, 1, 4], params: { max_tokens: 8, seed: 5, temperature: 1 } });
    const wanted = await ask();
    for (let step = 0; step < 9; step += 1) {
      // Asked for while the weights are about to change.
      const [early] = await Promise.all([
        step < 3 ? ask() : wanted,
        policy.backward(rows, likely).then(() => policy.step({ learningRate: 0.05 })),
      ]);
      expect(early.sequences[0]?.tokens).toEqual(wanted.sequences[0]?.tokens);
      await samplerOf(policy);
    }
    expect([...(await talk(1).sample({ maxTokens: 8 })).logprobs]).not.toEqual([...before.logprobs]);
    await expect(ask()).rejects.toThrow("only the last 8 unnamed ones are kept");
  } finally {
    await policy.close();
  }
});

/** A version by its session, outside what the policy itself keeps track of. */
async function samplerOf(policy: Awaited<ReturnType<typeof remotePolicy>>): Promise<string> {
  const { client } = policy;
  const listed = (await client.http.json("/api/v1/training_runs?limit=9", { method: "GET", what: "runs" })) as {
    readonly training_runs: readonly { readonly training_run_id: string }[];
  };
  const model_id = listed.training_runs.at(-1)?.training_run_id;
  const body = { model_id, sampling_session_seq_id: 1, seq_id: 1 };
  const submitted = (await client.http.json("/api/v1/save_weights_for_sampler", { body, what: "save" })) as {
    readonly request_id: string;
  };
  const saved = (await client.result(submitted.request_id)) as { readonly sampling_session_id: string };
  return saved.sampling_session_id;
}

test("a trainer that was restarted has forgotten its sessions; the error says so, and a checkpoint goes on", async () => {
  const options = { model: join(trainer.folder, "tiny"), checkpoints: join(root, "kept"), local: { threads: 1 } };
  const first = await startTrainer(options);
  const policy = await remotePolicy(first.url, { attempts: 2 });
  await policy.backward(rows, likely);
  await policy.step({ learningRate: 0.05 });
  await policy.save(join(root, "run"), { progress: { update: 1 } });
  const wanted = await policy.score(rows);
  await first.close();
  const second = await startTrainer({ ...options, port: first.port });
  try {
    await expect(policy.score(rows)).rejects.toMatchObject({
      code: "trainer-forgot",
      message: expect.stringContaining("--resume"),
    });
    await policy.close();
    const resumed = await remotePolicy(second.url);
    await resumed.load(join(root, "run"));
    expect([resumed.progress, resumed.ref.version]).toEqual([{ update: 1 }, 1]);
    expect(await resumed.score(rows)).toEqual(wanted);
    // A checkpoint in the same folder takes the place of the last one, on the trainer too.
    await resumed.save(join(root, "run"));
    const kept = await Promise.all(
      (await readdir(join(root, "kept"))).map((model) => readdir(join(root, "kept", model, "weights"))),
    );
    expect(kept.flat()).toHaveLength(1);
    await resumed.close();
  } finally {
    await second.close();
  }
});

test("a session that falls silent loses its models; one that never spoke is left alone", async () => {
  let now = 0;
  const folder = join(trainer.folder, "tiny");
  const patient = await startTrainer({
    model: folder,
    checkpoints: join(root, "silent"),
    local: { threads: 1 },
    sessionTimeoutMs: 5,
    now: () => now,
  });
  const policy = await remotePolicy(patient.url, { heartbeatMs: 600_000, rank: 1 });
  try {
    await policy.score(rows);
    now = 10;
    const gone = async (): Promise<boolean> =>
      await policy.score(rows).then(
        () => false,
        (error: unknown) => (error as { code?: string }).code === "trainer-forgot",
      );
    await expect.poll(gone).toBe(true);
  } finally {
    await policy.close();
    await patient.close();
  }
});
