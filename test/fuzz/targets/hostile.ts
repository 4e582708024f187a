/**
 * Our clients against servers that lie. A good server is spoken to through a relay; what it once answered at each place is the seed, and
 * a case puts damaged bytes in the place of one answer. A client refuses it by name or goes on; it does not crash, hang or tell a key.
 */
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { WebSocket, WebSocketServer } from "ws";
import { EngineError } from "../../../packages/base/src/base/errors.ts";
import { createCorridor } from "../../../packages/core/src/env/corridor.ts";
import { createOpenEnv } from "../../../packages/worlds/src/openenv/client.ts";
import { startEnvServer } from "../../../packages/worlds/src/openenv/server.ts";
import type { ChatClock } from "../../../packages/policy/src/policy/chat/retry.ts";
import { openChatModel } from "../../../packages/policy/src/policy/chat/chat-model.ts";
import { connectTinker } from "../../../packages/policy/src/policy/tinker/client.ts";
import { datumOf } from "../../../packages/policy/src/policy/tinker/datum.ts";
import { startTrainer } from "../../../packages/remote/src/tinker-server/server.ts";
import { writeTinyModel } from "../../support/tiny-folder.ts";
import { PLANTED, type Seed, type TargetKind } from "../target.ts";

const KEY = PLANTED[0];

/** Waiting takes no time here, and ends: a server may always say that it is not ready yet. */
function impatientClock(): ChatClock {
  let [now, waits] = [0, 0];
  return {
    now: () => now,
    delay: async (milliseconds) => {
      now += milliseconds;
      waits += 1;
      if (waits > 30) throw new EngineError("cancelled", "The fuzzer waits no longer.");
    },
  };
}

interface Relay {
  readonly url: string;
  /** What was answered at each place, the first time. */
  readonly seen: Map<string, Buffer>;
  /** How often each place was asked in this talk. */
  readonly counts: Map<string, number>;
  /** The answer at a place, as it shall be: "/api/v1/asample 1" is the first of a talk. */
  lie: { readonly place: string; readonly bytes: Buffer } | undefined;
  close(): Promise<void>;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const shut = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });

/** HTTP and WebSocket to another server; messages of sockets have the place "ws". */
async function startRelay(to: string): Promise<Relay> {
  const seen = new Map<string, Buffer>();
  const place = (address: string): string => address.split("?")[0] ?? "";
  const answer = (asked: string, bytes: Buffer): Buffer => {
    const count = (relay.counts.get(asked) ?? 0) + 1;
    relay.counts.set(asked, count);
    const at = `${asked} ${count}`;
    if (!seen.has(at)) seen.set(at, bytes);
    const { lie } = relay;
    if (lie?.place !== at) return bytes;
    relay.lie = undefined;
    return lie.bytes;
  };
  const server = createServer((incoming, response) => {
    const { method, headers, url = "/" } = incoming;
    const sent = request(`${to}${url}`, { method, headers: { ...headers, host: new URL(to).host } }, (good) => {
      const pieces: Buffer[] = [];
      good.on("data", (piece: Buffer) => pieces.push(piece));
      good.on("end", () => {
        const body = answer(place(url), Buffer.concat(pieces));
        const type = good.headers["content-type"] ?? "application/json";
        response.writeHead(good.statusCode ?? 502, { "content-type": type });
        response.end(body);
      });
    });
    sent.on("error", () => response.destroy());
    incoming.pipe(sent);
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (client, { url = "/", headers }) => {
    const { authorization } = headers;
    const good = new WebSocket(
      `${to.replace("http", "ws")}${url}`,
      authorization === undefined ? {} : { headers: { authorization } },
    );
    const waiting: Buffer[] = [];
    client.on("message", (data) => {
      if (good.readyState === WebSocket.OPEN) good.send((data as Buffer).toString());
      else waiting.push(data as Buffer);
    });
    good.on("open", () => waiting.splice(0).forEach((data) => good.send(String(data))));
    good.on("message", (data) => client.send(answer("ws", data as Buffer).toString()));
    for (const [one, other] of [
      [client, good],
      [good, client],
    ] as const) {
      one.on("error", () => other.terminate());
      one.on("close", () => other.terminate());
    }
  });
  const relay: Relay = {
    url: await listen(server),
    seen,
    counts: new Map(),
    lie: undefined,
    close: () => shut(server),
  };
  return relay;
}

/** Talks once with the truth, for seeds; every case is the same talk with one lie. */
async function lied(reads: string, to: string, talk: (url: string) => Promise<unknown>, close: () => Promise<void>) {
  const relay = await startRelay(to);
  await talk(relay.url);
  const seeds: Seed[] = [...relay.seen].map(([name, bytes]) => ({ name, bytes }));
  return {
    reads,
    seeds,
    run: async ({ name, bytes }: Seed): Promise<unknown> => {
      relay.counts.clear();
      relay.lie = { place: name, bytes };
      return await talk(relay.url);
    },
    close: async () => {
      await relay.close();
      await close();
    },
  };
}

async function talkTinker(url: string, baseModel: string): Promise<unknown> {
  const client = await connectTinker({ url, apiKey: KEY, clock: impatientClock(), attempts: 2, busyAttempts: 3 });
  try {
    const model = await client.createModel({ baseModel, rank: 2 });
    const data = [datumOf(Int32Array.of(1, 2, 3, 4), 4, { weights: [0, 1, 1, 1] })];
    const passed = await model.forwardBackward(data, { loss: "cross_entropy" });
    const step = await model.optimStep({
      learning_rate: 0.01,
      beta1: 0.9,
      beta2: 0.95,
      eps: 1e-8,
      weight_decay: 0,
      grad_clip_norm: 0,
    });
    const samples = client.samplesOf(await model.sampler());
    const said = await samples.sample({
      prompt: Int32Array.of(1, 2, 3),
      params: { max_tokens: 4, temperature: 1 },
      promptLogprobs: true,
    });
    await model.unload();
    return { passed, step, said };
  } finally {
    client.close();
  }
}

export const hostileTargets: Readonly<Record<string, TargetKind>> = {
  "hostile-trainer": {
    open: async ({ folder }) => {
      await writeTinyModel(join(folder, "model"));
      const places = { model: join(folder, "model"), checkpoints: join(folder, "checkpoints") };
      const trainer = await startTrainer({ ...places, local: { threads: 1 }, maxModels: 64, pollMs: 50 });
      const talk = (url: string): Promise<unknown> => talkTinker(url, trainer.baseModel);
      return await lied("policy/tinker", trainer.url, talk, () => trainer.close());
    },
  },
  "hostile-chat": {
    open: async () => {
      const message = { role: "assistant", content: "Paris", tool_calls: [] };
      const usage = { prompt_tokens: 5, completion_tokens: 1 };
      const logprobs = { content: [{ token: "Paris", logprob: -0.1, top_logprobs: [{ token: "P", logprob: -2 }] }] };
      const good = { id: "x", choices: [{ index: 0, message, finish_reason: "stop", logprobs }], usage };
      const server = createServer((_, response) => response.end(JSON.stringify(good)));
      const talk = async (url: string): Promise<unknown> => {
        const options = { retry: { retries: 1, firstDelayMs: 1, maxDelayMs: 1 }, timeoutMs: 4_000 };
        const model = openChatModel({ baseUrl: `${url}/v1`, model: "any", apiKey: KEY }, options);
        return await model.complete([{ role: "user", content: "The capital of France?" }], { maxTokens: 5 });
      };
      return await lied("policy/chat", await listen(server), talk, () => shut(server));
    },
  },
  "hostile-world": {
    open: async () => {
      const server = await startEnvServer({ env: createCorridor() });
      const talk = async (url: string): Promise<unknown> => {
        const limits = { timeoutMs: 3_000, connectTimeoutMs: 3_000, attempts: 2, delayMs: 1 };
        const env = await createOpenEnv({ url, ...limits });
        let told: unknown;
        for await (const task of env.tasks("train", { offset: 0, count: 1 })) {
          const episode = await env.open(task);
          try {
            const [first = "right"] = episode.admissible?.() ?? [];
            told = [await episode.step(first), episode.stateKey];
          } finally {
            await episode.close();
          }
        }
        return told;
      };
      return await lied("worlds/openenv", server.url, talk, () => server.close());
    },
  },
};
