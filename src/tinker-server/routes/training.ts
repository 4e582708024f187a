/** Models: making them, passes, steps. Work is handed in here and done in the model's own order. */
import { createHash } from "node:crypto";
import { checked, HttpFailure } from "../http-failure.ts";
import * as requests from "../requests.ts";
import type { Reply, RouteTable } from "../router.ts";
import { freshId, type HeldRun, type Workshop } from "../workshop.ts";

/** How many numbers of requests a model remembers. */
const REMEMBERED = 4_096;

export function trainingRoutes(workshop: Workshop): RouteTable {
  const { futures, baseName } = workshop;
  return {
    "POST /api/v1/create_model": ({ body }) => {
      const { session_id, base_model, lora_config, user_metadata } = checked(requests.createModelRequest, body);
      workshop.touch(session_id, false);
      const id = freshId("model");
      const { rank } = lora_config;
      const seed = lora_config.seed ?? 0;
      const request_id = futures.begin(async () => {
        if (base_model !== baseName) {
          throw new HttpFailure(
            400,
            `Base model "${base_model.slice(0, 120)}" is not served here; it is "${baseName}".`,
          );
        }
        const run = await workshop.createRun({ session: session_id, rank, seed, metadata: user_metadata ?? null, id });
        const trains = { train_attn: true, train_mlp: true, train_unembed: rank === 0 };
        return { model_id: id, base_model, lora_config: { rank, alpha: run.alpha, seed, ...trains } };
      });
      return {
        json: {
          model_id: id,
          base_model,
          lora_config: { rank, seed: lora_config.seed ?? null },
          status: "created",
          request_id,
        },
      };
    },
    "POST /api/v1/unload_model": ({ body }) => {
      const run = workshop.run(checked(requests.modelRequest, body).model_id);
      const request_id = futures.begin(async () => {
        await run.inTurn(() => workshop.unload(run.id));
        return { model_id: run.id, status: "unloaded", type: "unload_model" };
      });
      return { json: { request_id, model_id: run.id } };
    },
    "POST /api/v1/get_info": ({ body }) => {
      const run = workshop.run(checked(requests.modelRequest, body).model_id);
      const model_data = {
        base_model: baseName,
        lora_config: { rank: run.rank, seed: run.seed },
        model_name: baseName,
      };
      return { json: { model_id: run.id, status: "created", model_data } };
    },
    "GET /api/v1/training_runs": ({ query }) => {
      const all = [...workshop.runs.values()].map((run) => described(run, baseName));
      const offset = count(query.get("offset"), 0);
      const limit = count(query.get("limit"), 20);
      const cursor = { offset, limit, total_count: all.length };
      return { json: { training_runs: all.slice(offset, offset + limit), cursor } };
    },
    "GET /api/v1/training_runs/{model}": ({ params }) => ({
      json: described(workshop.run(params["model"] ?? ""), baseName),
    }),
    "POST /api/v1/forward": ({ body }) => {
      const { model_id, forward_input, seq_id } = checked(requests.forwardRequest, body);
      const run = workshop.run(model_id);
      return handIn(workshop, run, seq_id, ["forward", forward_input], () => run.forward(forward_input));
    },
    "POST /api/v1/forward_backward": ({ body }) => {
      const { model_id, forward_backward_input, seq_id } = checked(requests.forwardBackwardRequest, body);
      const run = workshop.run(model_id);
      const payload = ["forward_backward", forward_backward_input];
      return handIn(workshop, run, seq_id, payload, () => run.forwardBackward(forward_backward_input));
    },
    "POST /api/v1/optim_step": ({ body }) => {
      const { model_id, adam_params: adam, seq_id } = checked(requests.optimRequest, body);
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

/** A number of a query. */
export function count(text: string | null, otherwise: number): number {
  const value = Number(text ?? otherwise);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new HttpFailure(422, `"${text?.slice(0, 20)}" is not a whole number.`);
}
