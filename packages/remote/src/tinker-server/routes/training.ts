/** Models: making them, passes, steps. Work is handed in here and done in the model's own order. */
import { createHash } from "node:crypto";
import { checkBody, HttpFailure } from "../http-failure.ts";
import * as requests from "../requests.ts";
import type { Call, Reply, RouteTable } from "../router.ts";
import { freshId, type HeldRun, type Workshop } from "../workshop.ts";
import type { CheckpointInfo, CheckpointKind } from "../checkpoints.ts";
import { loadRequest, samplerSaveRequest, saveRequest, weightsInfoRequest } from "../requests.ts";

/** How many numbers of requests a model remembers. */
const REMEMBERED = 4_096;

export function trainingRoutes(workshop: Workshop): RouteTable {
  const { futures, baseName } = workshop;
  return {
    "POST /api/v1/create_model": ({ body }) => {
      const { session_id, base_model, lora_config, user_metadata } = checkBody(requests.createModelRequest, body);
      workshop.touch(session_id, false);
      const id = freshId("model");
      const { rank } = lora_config;
      const seed = lora_config.seed ?? 0;
      const request_id = futures.begin(async () => {
        workshop.requireBase(base_model);
        const run = await workshop.createRun({ session: session_id, rank, seed, metadata: user_metadata ?? null, id });
        const trains = { train_attn: true, train_mlp: true, train_unembed: rank === 0 };
        return { model_id: id, base_model, lora_config: { rank, alpha: run.alpha, seed, ...trains } };
      });
      const shown = { rank, seed: lora_config.seed ?? null };
      return { json: { model_id: id, base_model, lora_config: shown, status: "created", request_id } };
    },
    "POST /api/v1/unload_model": ({ body }) => {
      const run = workshop.run(checkBody(requests.modelRequest, body).model_id);
      const request_id = futures.begin(async () => {
        await run.inTurn(() => workshop.unload(run.id));
        return { model_id: run.id, status: "unloaded", type: "unload_model" };
      });
      return { json: { request_id, model_id: run.id } };
    },
    "POST /api/v1/get_info": ({ body }) => {
      const run = workshop.run(checkBody(requests.modelRequest, body).model_id);
      const lora_config = { rank: run.rank, seed: run.seed };
      const model_data = { base_model: baseName, lora_config, model_name: baseName };
      return { json: { model_id: run.id, status: "created", model_data } };
    },
    "GET /api/v1/training_runs": ({ query }) => {
      const all = [...workshop.runs.values()].map((run) => described(run, baseName));
      return { json: page("training_runs", all, query, 20) };
    },
    "GET /api/v1/training_runs/{model}": ({ params }) => ({
      json: described(workshop.run(params["model"] ?? ""), baseName),
    }),
    "POST /api/v1/forward": ({ body }) => {
      const { model_id, forward_input, seq_id } = checkBody(requests.forwardRequest, body);
      const run = workshop.run(model_id);
      return handIn(workshop, run, seq_id, ["forward", forward_input], () => run.forward(forward_input));
    },
    "POST /api/v1/forward_backward": ({ body }) => {
      const { model_id, forward_backward_input, seq_id } = checkBody(requests.forwardBackwardRequest, body);
      const run = workshop.run(model_id);
      const payload = ["forward_backward", forward_backward_input];
      return handIn(workshop, run, seq_id, payload, () => run.forwardBackward(forward_backward_input));
    },
    "POST /api/v1/optim_step": ({ body }) => {
      const { model_id, adam_params: adam, seq_id } = checkBody(requests.optimRequest, body);
      const run = workshop.run(model_id);
      const options = {
        learningRate: adam.learning_rate,
        beta1: adam.beta1,
        beta2: adam.beta2,
        epsilon: adam.eps,
        weightDecay: adam.weight_decay,
        ...(adam.grad_clip_norm > 0 ? { clipNorm: adam.grad_clip_norm } : {}),
      };
      return handIn(workshop, run, seq_id, ["optim_step", adam], () => run.step(options));
    },
  };
}

/** The same number and payload again is the same work; another payload under a used number is a conflict. */
export function handIn(
  { futures }: Workshop,
  run: HeldRun,
  sequence: number | null | undefined,
  payload: unknown,
  work: () => Promise<object>,
): Reply {
  const text = createHash("sha256").update(JSON.stringify(payload)).digest("hex");
  const known = typeof sequence === "number" ? run.seen.get(sequence) : undefined;
  if (known !== undefined && known.payload !== text) {
    throw new HttpFailure(409, `seq_id ${sequence} of ${run.id} was used for another request.`);
  }
  if (known === undefined) run.requests += 1;
  const requestId = known?.requestId ?? futures.begin(() => run.inTurn(work));
  if (typeof sequence === "number") run.seen.set(sequence, { payload: text, requestId });
  const [oldest] = run.seen.keys();
  if (run.seen.size > REMEMBERED && oldest !== undefined) run.seen.delete(oldest);
  return { json: { future_id: requestId, status: "pending", request_id: requestId } };
}

function described(run: HeldRun, base_model: string): object {
  return {
    training_run_id: run.id,
    base_model,
    model_owner: "default",
    is_lora: run.rank > 0,
    corrupted: false,
    lora_rank: run.rank > 0 ? run.rank : null,
    last_request_time: run.createdAt,
    last_checkpoint: null,
    last_sampler_checkpoint: null,
    user_metadata: run.metadata,
  };
}

/** The part of a list that a query asks for. */
export function page(name: string, all: readonly object[], query: URLSearchParams, most: number): object {
  const [offset, limit] = [count(query.get("offset"), 0), count(query.get("limit"), most)];
  return { [name]: all.slice(offset, offset + limit), cursor: { offset, limit, total_count: all.length } };
}

function count(text: string | null, otherwise: number): number {
  const value = Number(text ?? otherwise);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new HttpFailure(422, `"${text?.slice(0, 20)}" is not a whole number.`);
}

// Checkpoints: saving, loading, looking, deleting, downloading.

const ARCHIVE_MS = 2 * 60 * 60 * 1_000;

export function weightsRoutes(workshop: Workshop): RouteTable {
  return { ...savingRoutes(workshop), ...checkpointRoutes(workshop) };
}

function savingRoutes(workshop: Workshop): RouteTable {
  const { checkpoints, samplers, baseName } = workshop;
  const infoOf = ({ rank }: HeldRun): CheckpointInfo => ({
    base_model: baseName,
    rank,
    time: new Date().toISOString(),
  });
  return {
    "POST /api/v1/save_weights": async ({ body }) => {
      const { model_id, path } = checkBody(saveRequest, body);
      const run = workshop.run(model_id);
      await checkpoints.reserve(run.id, "weights", path);
      return handIn(workshop, run, undefined, path, async () => ({
        path: await checkpoints.saveTraining(run, path, infoOf(run)),
        type: "save_weights",
      }));
    },
    "POST /api/v1/save_weights_for_sampler": async ({ body }) => {
      const { model_id, path } = checkBody(samplerSaveRequest, body);
      const run = workshop.run(model_id);
      const type = "save_weights_for_sampler";
      if (typeof path !== "string") {
        return handIn(workshop, run, undefined, type, () => {
          const id = freshId("sampling");
          samplers.set(id, { kind: "version", run, snapshot: run.snapshot() });
          return Promise.resolve({ path: null, type, sampling_session_id: id });
        });
      }
      await checkpoints.reserve(run.id, "sampler_weights", path);
      return handIn(workshop, run, undefined, path, async () => ({
        path: await checkpoints.saveSampler(run, path, infoOf(run)),
        type,
        sampling_session_id: null,
      }));
    },
    "POST /api/v1/load_weights": ({ body }) => {
      const { model_id, path, optimizer } = checkBody(loadRequest, body);
      const run = workshop.run(model_id);
      if (run.requests > 0) {
        throw new HttpFailure(400, "load_weights is permitted only as the first request of a model; create a new one.");
      }
      return handIn(workshop, run, undefined, path, async () => {
        await checkpoints.load(run, path, optimizer);
        return { type: "load_weights" };
      });
    },
  };
}

/** Looking at checkpoints, deleting and downloading them. */
function checkpointRoutes(workshop: Workshop): RouteTable {
  const { checkpoints } = workshop;
  const list = async ({ params }: Call): Promise<Reply> => {
    const model = params["model"] ?? "";
    const found = await checkpoints.list(model);
    // Of a model that is gone its checkpoints may be left; one that never was has none.
    if (found.length === 0) workshop.run(model);
    return { json: { checkpoints: found } };
  };
  const remove = async (model: string, kind: CheckpointKind, name: string): Promise<Reply> => {
    await checkpoints.remove(model, kind, name);
    await workshop.forgetSaved(`tinker://${model}/${kind}/${name}`);
    return { status: 204 };
  };
  const archive = async ({ params }: Call): Promise<Reply> => {
    const { model = "", name = "" } = params;
    await checkpoints.folder(`tinker://${model}/sampler_weights/${name}`, "sampler_weights");
    const location = `/api/v1/training_runs/${model}/checkpoints/${name}/download`;
    return { status: 302, headers: { location, expires: new Date(Date.now() + ARCHIVE_MS).toUTCString() } };
  };
  return {
    "POST /api/v1/weights_info": async ({ body }) => {
      const { base_model, rank } = await checkpoints.info(checkBody(weightsInfoRequest, body).tinker_path, "weights");
      return { json: { base_model, is_lora: rank > 0, lora_rank: rank > 0 ? rank : null } };
    },
    "GET /api/v1/training_runs/{model}/checkpoints": list,
    "GET /api/v1/models/{model}/checkpoints": list,
    "GET /api/v1/checkpoints": async ({ query }) => {
      return { json: page("checkpoints", await checkpoints.listAll(), query, 100) };
    },
    "GET /api/v1/training_runs/{model}/checkpoints/{name}/archive": archive,
    "GET /api/v1/training_runs/{model}/checkpoints/sampler_weights/{name}/archive": archive,
    "GET /api/v1/training_runs/{model}/checkpoints/{name}/download": async ({ params }) => {
      const { model = "", name = "" } = params;
      return {
        stream: await checkpoints.archive(model, name),
        headers: {
          "content-type": "application/octet-stream",
          "content-disposition": `attachment; filename="${model}_${name}.tar.gz"`,
        },
      };
    },
    "DELETE /api/v1/training_runs/{model}/checkpoints/{kind}/{name}": async ({ params }) => {
      const { model = "", kind, name = "" } = params;
      if (kind === "weights" || kind === "sampler_weights") return await remove(model, kind, name);
      throw new HttpFailure(400, "A checkpoint to delete is named weights/NAME or sampler_weights/NAME.");
    },
    "DELETE /api/v1/training_runs/{model}/checkpoints/{name}": async ({ params, query }) => {
      const kind = { training: "weights", sampler: "sampler_weights" }[query.get("checkpoint_type") ?? ""];
      if (kind === "weights" || kind === "sampler_weights") {
        return await remove(params["model"] ?? "", kind, params["name"] ?? "");
      }
      throw new HttpFailure(400, "Give weights/NAME or sampler_weights/NAME, or checkpoint_type.");
    },
  };
}
