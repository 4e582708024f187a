/** Sampling sessions and samples. */
import { checked, HttpFailure } from "../http-failure.ts";
import { sampleRequest, samplingSessionRequest, type SampleBody } from "../requests.ts";
import type { RouteTable } from "../router.ts";
import { checkSample, speak } from "../speak.ts";
import { freshId, type Source, type Workshop } from "../workshop.ts";

export function samplingRoutes(workshop: Workshop): RouteTable {
  const { samplers, futures, baseName, checkpoints } = workshop;
  const known = (id: string): Source => {
    const source = samplers.get(id);
    if (source !== undefined) return source;
    throw new HttpFailure(404, `Sampling session ${id.slice(0, 60)} not found: session not found.`);
  };
  const sourceOf = async ({ sampling_session_id, model_path }: SampleBody): Promise<Source> => {
    if (typeof sampling_session_id === "string") {
      if (sampling_session_id.includes(":")) throw new HttpFailure(400, 'A sampling session\'s id has no ":".');
      return known(sampling_session_id);
    }
    if (typeof model_path !== "string") return { kind: "base" };
    await checkpoints.folder(model_path, "sampler_weights");
    return { kind: "saved", path: model_path };
  };
  return {
    "POST /api/v1/create_sampling_session": async ({ body }) => {
      const { session_id, base_model, model_path } = checked(samplingSessionRequest, body);
      workshop.touch(session_id, false);
      if (typeof base_model === "string" && base_model !== baseName) {
        throw new HttpFailure(400, `Base model "${base_model.slice(0, 120)}" is not served here; it is "${baseName}".`);
      }
      if (typeof model_path === "string") await checkpoints.folder(model_path, "sampler_weights");
      const id = freshId("sampling");
      samplers.set(id, typeof model_path === "string" ? { kind: "saved", path: model_path } : { kind: "base" });
      return { json: { type: "create_sampling_session", sampling_session_id: id } };
    },
    "GET /api/v1/samplers/{id}": ({ params }) => {
      const { id = "" } = params;
      const source = known(id);
      return {
        json: { sampler_id: id, base_model: baseName, model_path: source.kind === "saved" ? source.path : null },
      };
    },
    "POST /api/v1/asample": async ({ body }) => {
      const given = checked(sampleRequest, body);
      checkSample(given, workshop.decode);
      const source = await sourceOf(given);
      const request_id = futures.begin(async () => {
        if (typeof given.base_model === "string" && given.base_model !== baseName) {
          throw new HttpFailure(
            400,
            `Base model "${given.base_model.slice(0, 120)}" is not served here; it is "${baseName}".`,
          );
        }
        return await workshop.sampleFrom(source, (policy, kept) => speak(policy, kept, given, workshop.decode));
      });
      return { json: { future_id: request_id, status: "pending", request_id } };
    },
  };
}
