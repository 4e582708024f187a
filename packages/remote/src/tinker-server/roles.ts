/** What each request to the trainer needs. The router refuses to start with a route that is not here. */
import type { Routes } from "limbeck-base/base/access";

export const TRAINER_ROUTES = {
  "GET /": "read",
  // Anyone may ask whether there is a server.
  "GET /api/v1/healthz": "open",
  "GET /api/v1/get_server_capabilities": "read",
  "POST /api/v1/client/config": "read",
  "POST /api/v1/telemetry": "read",
  "POST /api/v1/create_session": "read",
  "POST /api/v1/session_heartbeat": "read",
  "POST /api/v1/retrieve_future": "read",
  "POST /api/v1/create_sampling_session": "read",
  "GET /api/v1/samplers/{id}": "read",
  "POST /api/v1/asample": "read",
  "POST /api/v1/get_info": "read",
  "GET /api/v1/training_runs": "read",
  "GET /api/v1/training_runs/{model}": "read",
  "POST /api/v1/weights_info": "read",
  "GET /api/v1/training_runs/{model}/checkpoints": "read",
  "GET /api/v1/models/{model}/checkpoints": "read",
  "GET /api/v1/checkpoints": "read",
  "GET /api/v1/training_runs/{model}/checkpoints/{name}/archive": "read",
  "GET /api/v1/training_runs/{model}/checkpoints/sampler_weights/{name}/archive": "read",
  "GET /api/v1/training_runs/{model}/checkpoints/{name}/download": "read",
  "POST /api/v1/create_model": "train",
  "POST /api/v1/unload_model": "train",
  // A forward pass changes nothing, but official clients send it to the address of both.
  "POST /api/v1/forward": "read",
  "POST /api/v1/forward_backward": "train",
  "POST /api/v1/optim_step": "train",
  "POST /api/v1/save_weights": "train",
  "POST /api/v1/save_weights_for_sampler": "train",
  "POST /api/v1/load_weights": "train",
  "DELETE /api/v1/training_runs/{model}/checkpoints/{kind}/{name}": "train",
  "DELETE /api/v1/training_runs/{model}/checkpoints/{name}": "train",
} as const satisfies Routes;
