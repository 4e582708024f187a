/** Checkpoints: saving, loading, looking, deleting, downloading. */
import type { CheckpointInfo, CheckpointKind } from "../checkpoints.ts";
import { checked, HttpFailure } from "../http-failure.ts";
import { loadRequest, samplerSaveRequest, saveRequest, weightsInfoRequest } from "../requests.ts";
import type { Call, Reply, RouteTable } from "../router.ts";
import { freshId, type HeldRun, type Workshop } from "../workshop.ts";
import { count, handIn } from "./training.ts";

const ARCHIVE_MS = 2 * 60 * 60 * 1_000;

export function weightsRoutes(workshop: Workshop): RouteTable {
  const { checkpoints, samplers, baseName } = workshop;
  const infoOf = ({ rank }: HeldRun): CheckpointInfo => ({
    base_model: baseName,
    rank,
    time: new Date().toISOString(),
  });
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
    "POST /api/v1/save_weights": async ({ body }) => {
      const { model_id, path } = checked(saveRequest, body);
      const run = workshop.run(model_id);
      await checkpoints.reserve(run.id, "weights", path);
      return handIn(workshop, run, undefined, path, async () => ({
        path: await checkpoints.saveTraining(run, path, infoOf(run)),
        type: "save_weights",
      }));
    },
    "POST /api/v1/save_weights_for_sampler": async ({ body }) => {
      const { model_id, path } = checked(samplerSaveRequest, body);
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
      const { model_id, path, optimizer } = checked(loadRequest, body);
      const run = workshop.run(model_id);
      if (run.requests > 0) {
        throw new HttpFailure(400, "load_weights is permitted only as the first request of a model; create a new one.");
      }
      return handIn(workshop, run, undefined, path, async () => {
        await checkpoints.load(run, path, optimizer);
        return { type: "load_weights" };
      });
    },
    "POST /api/v1/weights_info": async ({ body }) => {
      const { base_model, rank } = await checkpoints.info(checked(weightsInfoRequest, body).tinker_path, "weights");
      return { json: { base_model, is_lora: rank > 0, lora_rank: rank > 0 ? rank : null } };
    },
    "GET /api/v1/training_runs/{model}/checkpoints": list,
    "GET /api/v1/models/{model}/checkpoints": list,
    "GET /api/v1/checkpoints": async ({ query }) => {
      const all = await checkpoints.listAll();
      const [offset, limit] = [count(query.get("offset"), 0), count(query.get("limit"), 100)];
      const cursor = { offset, limit, total_count: all.length };
      return { json: { checkpoints: all.slice(offset, offset + limit), cursor } };
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
