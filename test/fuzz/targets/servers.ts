/** Targets behind HTTP: bodies and paths that a client may send. An answer of 500, a cut connection or a dead server is a failure. */
import { mkdir } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { createCorridor } from "../../../packages/core/src/env/corridor.ts";
import { startEnvServer } from "../../../packages/worlds/src/openenv/server.ts";
import { serveOverHttp } from "../../../packages/studio/src/mcp/http.ts";
import { startProxy } from "../../../packages/store/src/record/proxy.ts";
import { createRedactor } from "../../../packages/recorder/src/redact.ts";
import { startStudio } from "../../../packages/studio/src/serve/server.ts";
import { openLibrary } from "../../../packages/core/src/skill/library/library.ts";
import { openStore } from "../../../packages/store/src/store/open-store.ts";
import { startTrainer } from "../../../packages/remote/src/tinker-server/server.ts";
import { kitchen } from "../../support/sample-store.ts";
import { writeTinyModel } from "../../support/tiny-folder.ts";
import { jsonSeed, PLANTED, textSeed, type Seed, type TargetKind } from "../target.ts";

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The text of the answer; 500 and worse are failures. 502 and 504 are a provider's. */
async function ask({ url, method, headers, body }: Sent): Promise<string> {
  return await new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method, headers: { ...headers, "content-length": String(body.length) } },
      (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(pieces).toString();
          const status = response.statusCode ?? 0;
          if (status >= 500 && ![502, 503, 504].includes(status)) reject(new Error(`${status}: ${text}`));
          else resolve(text);
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Seeds are bodies, named by the path they are for: "POST /api/sql". */
function bodies(
  reads: string,
  seeds: readonly Seed[],
  url: string,
  headers: Readonly<Record<string, string>>,
  close: () => Promise<void>,
) {
  return {
    reads,
    seeds,
    run: async ({ name, bytes }: Seed): Promise<unknown> => {
      const [method = "POST", path = "/", type = "application/json"] = name.split(" ");
      return await ask({ url: `${url}${path}`, method, headers: { "content-type": type, ...headers }, body: bytes });
    },
    close,
  };
}

const CORPUS_TOKEN = "a-token-of-the-fuzzer";
const bearer = { authorization: `Bearer ${CORPUS_TOKEN}` };

export const serverTargets: Readonly<Record<string, TargetKind>> = {
  "http-studio": {
    open: async ({ folder }) => {
      const root = join(folder, "runs");
      const store = openStore(root);
      const run = await store.createRun({ id: "demo", kind: "rollout" });
      await run.append(kitchen);
      await run.close();
      await store.close();
      const library = join(folder, "skills");
      await mkdir(library, { recursive: true });
      const studio = await startStudio({
        root,
        version: "1",
        token: CORPUS_TOKEN,
        write: true,
        library,
        sqlTimeoutMs: 2_000,
      });
      const seeds = [
        jsonSeed({ sql: "select count(*) from trajectories", run: "demo" }, "POST /api/sql"),
        jsonSeed({ id: "kitchen-1", who: "ann", success: true, comment: "x" }, "POST /api/runs/demo/judge"),
        jsonSeed({ id: "heat-it", decision: "promote", by: "ann" }, "POST /api/skill/decision"),
        jsonSeed({ env: "countdown", split: "train", index: 0 }, "POST /api/play/open"),
        jsonSeed({ run: "demo", trajectory: "kitchen-1", step: 1 }, "POST /api/play/open"),
        jsonSeed({ game: "x", place: "y", action: "z" }, "POST /api/play/act"),
      ];
      return bodies("serve", seeds, studio.url, bearer, () => studio.close());
    },
  },
  "http-studio-query": {
    open: async ({ folder }) => {
      const studio = await startStudio({ root: join(folder, "runs"), version: "1", token: CORPUS_TOKEN });
      const seeds = [
        textSeed("/api/trajectories?run=demo&success=true&sort=reward&offset=0&limit=20"),
        textSeed("/api/runs/demo/trajectory?id=kitchen-1&from=0&count=3"),
        textSeed("/api/compare?runs=demo&runs=evil"),
        textSeed("/api/skills?source=run&run=demo&offset=0&limit=5"),
        textSeed("/api/runs/demo/text?id=kitchen-1&field=observation&step=1"),
      ];
      return {
        reads: "serve/api",
        seeds,
        run: async ({ bytes }) => {
          // What Node's own client lets out: no spaces, no control characters.
          const path = `/${bytes
            .toString("latin1")
            .replaceAll(/[^\x21-\x7e]/g, "%00")
            .replace(/^\/+/, "")
            .slice(0, 8_000)}`;
          return await ask({ url: `${studio.url}${path}`, method: "GET", headers: bearer, body: Buffer.alloc(0) });
        },
        close: () => studio.close(),
      };
    },
  },
  "http-trainer": {
    open: async ({ folder }) => {
      await writeTinyModel(join(folder, "model"));
      const trainer = await startTrainer({
        model: join(folder, "model"),
        checkpoints: join(folder, "checkpoints"),
        local: { threads: 1 },
        maxModels: 2,
        pollMs: 50,
      });
      const model_id = "model_0";
      const datum = {
        model_input: { chunks: [{ type: "encoded_text", tokens: [1, 2, 3] }] },
        loss_fn_inputs: { target_tokens: { data: [2, 3, 4] }, weights: { data: [1, 1, 1] } },
      };
      const input = { data: [datum], loss_fn: "cross_entropy" };
      const paths: Readonly<Record<string, object>> = {
        create_session: { tags: [], sdk_version: "x" },
        session_heartbeat: { session_id: "s" },
        create_model: { session_id: "s", model_seq_id: 0, base_model: trainer.baseModel, lora_config: { rank: 2 } },
        forward: { model_id, forward_input: input, seq_id: 1 },
        forward_backward: { model_id, forward_backward_input: input, seq_id: 1 },
        optim_step: { model_id, adam_params: { learning_rate: 0.1, beta1: 0.9, beta2: 0.95, eps: 1e-8 }, seq_id: 2 },
        save_weights: { model_id, path: "one", seq_id: 3 },
        load_weights: { model_id, path: "tinker://a/weights/b", seq_id: 4 },
        weights_info: { tinker_path: "tinker://a/weights/b" },
        create_sampling_session: { session_id: "s", sampling_session_seq_id: 0, base_model: trainer.baseModel },
        asample: {
          base_model: trainer.baseModel,
          prompt: { chunks: [{ type: "encoded_text", tokens: [1, 2] }] },
          sampling_params: { max_tokens: 2, temperature: 1, stop: ["x"], seed: 1 },
          num_samples: 1,
        },
        retrieve_future: { request_id: "0" },
      };
      const seeds = Object.entries(paths).map(([path, body]) => jsonSeed(body, `POST /api/v1/${path}`));
      return bodies("tinker-server", seeds, trainer.url, {}, () => trainer.close());
    },
  },
  "http-world": {
    open: async () => {
      const server = await startEnvServer({ env: createCorridor() });
      const seeds = [
        jsonSeed({ seed: 3, split: "train", index: 1 }, "POST /reset"),
        jsonSeed(
          { demonstrator: "expert", seed: 1, split: "train", index: 0, past: [{ observation: "x" }] },
          "POST /advice",
        ),
      ];
      return bodies("worlds/openenv/serve-routes.ts", seeds, server.url, {}, () => server.close());
    },
  },
  "http-proxy": {
    redacts: true,
    open: async () => {
      const kept: unknown[] = [];
      const nothing = (): Promise<void> => Promise.resolve();
      const recordings = {
        add: (line: unknown) => void kept.push(line),
        addTrajectory: async (one: unknown) => void kept.push(one),
        save: nothing,
        tick: nothing,
        status: () => ({ open: 0, stored: 0, dropped: 0 }),
        close: nothing,
      };
      const openai = "http://127.0.0.1:9/v1";
      const proxy = await startProxy({ recordings, redactor: createRedactor(), openai, anthropic: openai });
      const secret = `My key is ${PLANTED[0]} and I am ${PLANTED[1]}.`;
      const call = {
        limbeck: "call",
        v: 1,
        call: "c1",
        trajectory: "t",
        at: 1,
        request: { messages: [{ role: "user", content: secret }], model: "m" },
      };
      const seeds = [
        jsonSeed(call, "POST /limbeck/v1/records"),
        jsonSeed({ trajectory: "t", success: true, comment: secret }, "POST /limbeck/v1/feedback"),
        jsonSeed({ trajectory: "t" }, "POST /limbeck/v1/end"),
        jsonSeed(
          {
            resourceSpans: [
              {
                scopeSpans: [
                  {
                    spans: [
                      {
                        traceId: "0af7651916cd43dd8448eb211c80319c",
                        spanId: "b7ad6b7169203331",
                        name: "chat",
                        attributes: [{ key: "gen_ai.prompt", value: { stringValue: secret } }],
                      },
                    ],
                  },
                ],
              },
            ],
          },
          "POST /v1/traces",
        ),
        jsonSeed({ model: "m", messages: [{ role: "user", content: secret }] }, "POST /v1/chat/completions"),
      ];
      const target = bodies("record", seeds, proxy.url, {}, () => proxy.close());
      return {
        ...target,
        run: async (seed: Seed) => {
          kept.length = 0;
          await target.run(seed);
          // What it answers may hold what was asked; what it keeps may not.
          return [...kept];
        },
      };
    },
  },
  "http-mcp": {
    open: async ({ folder }) => {
      const library = openLibrary(join(folder, "skills"));
      const server = await serveOverHttp({ library, version: "1", token: CORPUS_TOKEN, port: 0 });
      const calls = [
        ["initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } }],
        ["tools/list", {}],
        ["tools/call", { name: "search_skills", arguments: { goal: "heat a mug", budgetTokens: 100 } }],
        ["tools/call", { name: "report_skill", arguments: { name: "heat-it", success: true } }],
        ["resources/read", { uri: "skill://heat-it" }],
        ["prompts/get", { name: "heat-it", arguments: { task: "x" } }],
      ] as const;
      const seeds = calls.map(([method, params]) => jsonSeed({ jsonrpc: "2.0", id: 1, method, params }, "POST /mcp"));
      const headers = { ...bearer, accept: "application/json, text/event-stream" };
      return bodies("mcp", seeds, new URL(server.url).origin, headers, () => server.close());
    },
  },
};
