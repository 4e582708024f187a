/** What the server says of itself, sessions, and results. */
import { checkBody } from "../http-failure.ts";
import { futureRequest, heartbeatRequest, sessionRequest } from "../requests.ts";
import type { RouteTable } from "../router.ts";
import type { Workshop } from "../workshop.ts";

/** Raised when the fields of `limbeck` in requests and answers change. */
const EXTENSION = 1;
const MAX_DATUMS = 1_024;
const MAX_BYTES = 16_000_000;

export function serviceRoutes(
  workshop: Workshop,
  options: { readonly version: string; readonly pollMs: number },
): RouteTable {
  const { base, baseName, futures, limits } = workshop;
  const models = [{ model_name: baseName, max_context_length: base.config.contextLength }];
  return {
    "GET /": () => ({
      json: { name: "limbeck trainer", version: options.version, protocol: "tinker", models: [baseName] },
    }),
    "GET /api/v1/healthz": () => ({ json: { status: "ok" } }),
    "GET /api/v1/get_server_capabilities": () => ({ json: { supported_models: models } }),
    "POST /api/v1/client/config": () => ({
      json: {
        pjwt_auth_enabled: false,
        parallel_fwdbwd_chunks: false,
        proto_compress_fwdbwd: false,
        // Official clients from 0.24 on then go without a package that is not everywhere.
        use_pyqwest_transport: false,
        fwdbwd_max_chunk_len: MAX_DATUMS,
        fwdbwd_max_chunk_bytes_count: MAX_BYTES,
        limbeck: { extension: EXTENSION, full_weights: limits.fullWeights },
      },
    }),
    "POST /api/v1/telemetry": () => ({ json: { status: "accepted" } }),
    "POST /api/v1/create_session": ({ body }) => {
      checkBody(sessionRequest, body);
      const session_id = workshop.openSession();
      return {
        json: { type: "create_session", info_message: null, warning_message: null, error_message: null, session_id },
      };
    },
    "POST /api/v1/session_heartbeat": ({ body }) => {
      workshop.touch(checkBody(heartbeatRequest, body).session_id, true);
      return { json: { type: "session_heartbeat" } };
    },
    "POST /api/v1/retrieve_future": async ({ body }) => ({
      json: await futures.wait(checkBody(futureRequest, body).request_id, options.pollMs),
    }),
  };
}
