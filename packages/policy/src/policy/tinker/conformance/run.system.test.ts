import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, expect, test } from "vitest";
import { testTrainer, type TestTrainer } from "../../../../../../test/support/trainer.ts";
import { checkTinkerServer } from "./run.ts";

let trainer: TestTrainer;
beforeAll(async () => {
  trainer = await testTrainer({ apiKey: "tml-test" });
});

test("limbeck trainer is green: every required case passes, and it has none of the known faults", async () => {
  const { green, results } = await checkTinkerServer({ url: trainer.url, apiKey: "tml-test" });
  const others = results
    .filter(({ outcome }) => outcome !== "passes")
    .map(({ name, outcome, note }) => [name, outcome, note]);
  expect(others).toEqual([
    ["gspo", "lacks", "refused with 422"],
    ["dppo", "lacks", "refused with 422"],
  ]);
  expect(green).toBe(true);
});

test("the session gives signs of life while the cases run", async () => {
  const beats: unknown[] = [];
  const url = await spoiled({
    path: "session_heartbeat",
    request: (body) => {
      beats.push(body["session_id"]);
      return body;
    },
  });
  await checkTinkerServer({ url, only: ["session", "learns", "loss-scale"], heartbeatMs: 1 });
  expect(beats.length).toBeGreaterThan(1);
  expect(new Set(beats).size).toBe(1);
});

interface Spoiled {
  readonly path: string;
  /** The body on its way to the server. */
  readonly request?: (body: Record<string, unknown>) => Record<string, unknown>;
  /** The answer on its way back. */
  readonly answer?: (status: number, body: Record<string, unknown>) => readonly [number, unknown];
}

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** The trainer with one habit changed, by somebody in between. */
async function spoiled({
  path,
  request = (body) => body,
  answer = (status, body) => [status, body],
}: Spoiled): Promise<string> {
  const between = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const here = incoming.url === `/api/v1/${path}`;
      const text = Buffer.concat(chunks).toString("utf8");
      const given = text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>);
      const body = given === undefined ? undefined : JSON.stringify(here ? request(given) : given);
      const headers = { "content-type": "application/json", "x-api-key": "tml-test" };
      const method = incoming.method ?? "GET";
      void fetch(trainer.url + (incoming.url ?? ""), {
        method,
        headers,
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
      })
        .then(async (response) => {
          const said = (await response.json()) as Record<string, unknown>;
          const [status, changed] = here ? answer(response.status, said) : [response.status, said];
          outgoing.writeHead(status);
          outgoing.end(JSON.stringify(changed));
        })
        .catch(() => outgoing.destroy());
    });
  });
  await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
  open.push(() => {
    between.closeAllConnections();
    between.close();
  });
  return `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
}

const faults: Readonly<Record<string, Spoiled & { readonly fails: string; readonly note: RegExp }>> = {
  "a failed future with status 200": {
    path: "retrieve_future",
    answer: (status, body) => (status === 400 ? [200, { error: body["detail"] }] : [status, body]),
    fails: "rank-limit",
    note: /status 200 where 400 is expected/,
  },
  "repeated work that is done twice": {
    path: "forward_backward",
    request: (body) => ({ ...body, seq_id: null }),
    fails: "idempotent",
    note: /done twice/,
  },
  "losses without their weights": {
    path: "forward",
    request: (body) => JSON.parse(JSON.stringify(body).replace(/"weights":/g, '"other":')) as Record<string, unknown>,
    fails: "forward",
    note: /elementwise_loss/,
  },
  "a step that does nothing": {
    path: "optim_step",
    request: (body) => ({ ...body, adam_params: { learning_rate: 0 } }),
    fails: "learns",
    note: /log-probability went from/,
  },
  "a gradient clip that is dropped": {
    path: "optim_step",
    request: (body) => ({ ...body, adam_params: { ...(body["adam_params"] as object), grad_clip_norm: 0 } }),
    fails: "step-settings",
    note: /^ignored: clipNorm$/,
  },
  "a step that takes nothing but the learning rate": {
    path: "optim_step",
    request: (body) => {
      const { learning_rate } = body["adam_params"] as { readonly learning_rate: number };
      return { ...body, adam_params: { learning_rate, beta1: 0, beta2: 0 } };
    },
    fails: "step-settings",
    note: /^ignored: clipNorm, beta1, beta2, epsilon, weightDecay$/,
  },
  "seeds that are ignored": {
    path: "asample",
    request: (body) => ({ ...body, sampling_params: { max_tokens: 6, seed: Number(body["seq_id"]) } }),
    fails: "sample",
    note: /same seed gave other tokens/,
  },
};

test.each(Object.entries(faults))("notices %s", async (_, { fails, note, ...spoil }) => {
  const { green, results } = await checkTinkerServer({ url: await spoiled(spoil), only: [fails] });
  expect(results).toEqual([
    expect.objectContaining({ name: fails, outcome: "differs", note: expect.stringMatching(note) }),
  ]);
  expect(green).toBe(results[0]?.kind !== "required");
});
