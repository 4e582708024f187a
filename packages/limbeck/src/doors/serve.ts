/** Serve: the studio, skills for agents that speak MCP, workers of a fleet, and a trainer for other machines. */
import type { ConnectOptions } from "limbeck-remote/fleet/connection";
import type { RedisConnection } from "limbeck-remote/fleet/redis-connection";
import type { FleetAwayOptions } from "limbeck-remote/fleet/fleet-away";
import type { FleetState } from "limbeck-remote/fleet/fleet-report";
import type { FleetRequest, FleetResult } from "limbeck-remote/fleet/roll-out-on-fleet";
import type { FleetWorker, WorkerOptions } from "limbeck-remote/fleet/worker";
import type { Trainer, TrainerOptions } from "limbeck-remote/tinker-server/server";
import type { TorchTrainer, TorchTrainerOptions } from "limbeck-remote/tinker-server/torch-trainer";
import type { Away } from "limbeck-training/training/asynchronous";

// The studio
export { startStudio, type StudioOptions } from "limbeck-studio/serve/server";
export { openAudit } from "limbeck-base/base/audit-log";
export { openTokens } from "limbeck-base/base/tokens-file";

// Skills over MCP
export { createSkillServer } from "limbeck-studio/mcp/skill-server";
export { serveOverStdio } from "limbeck-studio/mcp/stdio";
export { serveOverHttp } from "limbeck-studio/mcp/http";

// A fleet and a trainer, whose rooms are loaded when a function is called
export { rolloutRun } from "../run/rollout.operation.ts";

/**
 * The connection that the other functions take; the caller disconnects it.
 *
 * @example
 * import { readFleet } from "limbeck/serve";
 *
 * const url = process.env["LIMBECK_REDIS"];
 * if (url !== undefined) {
 *   const redis = await connectRedis(url);
 *   console.log((await readFleet(redis)).workers.length);
 *   redis.disconnect();
 * }
 */
export async function connectRedis(url: string, options: ConnectOptions = {}): Promise<RedisConnection> {
  return await (await import("limbeck-remote/fleet/connection")).connectRedis(url, options);
}

/**
 * Takes jobs of these worlds until it is closed.
 *
 * @example
 * import { tmpdir } from "node:os";
 *
 * const redis = process.env["LIMBECK_REDIS"];
 * if (redis !== undefined) {
 *   const worker = await startWorker({ redis, worlds: { countdown: 2 }, cache: tmpdir() });
 *   console.log(worker.report().jobs);
 *   await worker.close();
 * }
 */
export async function startWorker(options: WorkerOptions): Promise<FleetWorker> {
  return await (await import("limbeck-remote/fleet/worker")).startWorker(options);
}

/**
 * Plays the tasks on the workers that take them, and waits for the episodes.
 *
 * @example
 * import { tmpdir } from "node:os";
 * import { startWorker } from "limbeck/serve";
 *
 * const redis = process.env["LIMBECK_REDIS"];
 * if (redis !== undefined) {
 *   const worker = await startWorker({ redis, worlds: { countdown: 1 }, cache: tmpdir() });
 *   const tasks = [];
 *   for await (const task of (await openEnv("countdown")).tasks("train", { count: 2 })) tasks.push(task);
 *   const { succeeded } = await rollOutOnFleet({
 *     redis,
 *     run: "example",
 *     env: { id: "countdown", options: {} },
 *     tasks,
 *     agent: { kind: "script", name: "expert" },
 *     strategy: { name: "group", options: { size: 1 } },
 *     seed: 1,
 *     prefix: "",
 *     peers: 0,
 *     episode: {},
 *     attempts: 1,
 *     concurrency: 4,
 *     deliver: { to: "caller" },
 *   });
 *   console.log(succeeded);
 *   await worker.close();
 * }
 */
export async function rollOutOnFleet(request: FleetRequest): Promise<FleetResult> {
  return await (await import("limbeck-remote/fleet/roll-out-on-fleet")).rollOutOnFleet(request);
}

/**
 * For `openAway` of a training: its episodes are played by workers.
 *
 * @example
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { startWorker } from "limbeck/serve";
 *
 * const redis = process.env["LIMBECK_REDIS"];
 * if (redis !== undefined) {
 *   const folder = mkdtempSync(join(tmpdir(), "limbeck-fleet-"));
 *   const worker = await startWorker({ redis, worlds: { household: 1 }, cache: join(folder, "policies") });
 *   const world = { id: "household", options: { dial: "tiny" } };
 *   const fleet = { redis, world, lag: 0, tokenizer: "bundled:household", dir: join(folder, "versions") };
 *   const { update } = await train({
 *     recipe: "grpo",
 *     dir: join(folder, "run"),
 *     steps: 1,
 *     lag: 0,
 *     openAway: (share, place) => openFleetAway({ ...place, ...fleet, share }),
 *     report: { tasks: 1 },
 *     validation: { every: 0 },
 *     settings: { tasks: 1, group: 2, maxSteps: 2 },
 *   });
 *   console.log(update);
 *   await worker.close();
 *   rmSync(folder, { recursive: true });
 * }
 */
export async function openFleetAway(options: FleetAwayOptions): Promise<Away> {
  return await (await import("limbeck-remote/fleet/fleet-away")).openFleetAway(options);
}

/**
 * Workers, queues and parked jobs, as they are now.
 *
 * @example
 * import { connectRedis } from "limbeck/serve";
 *
 * const url = process.env["LIMBECK_REDIS"];
 * if (url !== undefined) {
 *   const redis = await connectRedis(url);
 *   const { workers, queues, parked } = await readFleet(redis);
 *   console.log(workers.length, queues.length, parked.length);
 *   redis.disconnect();
 * }
 */
export async function readFleet(connection: RedisConnection): Promise<FleetState> {
  return await (await import("limbeck-remote/fleet/fleet-state")).readFleet(connection);
}

/**
 * Serves a model for training and sampling until it is closed.
 *
 * @example
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { bundledModel } from "limbeck/local";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-trainer-"));
 * const trainer = await startTrainer({ model: bundledModel("household"), checkpoints: folder });
 * console.log((await fetch(`${trainer.url}/api/v1/healthz`)).status); // 200
 * await trainer.close();
 * rmSync(folder, { recursive: true });
 */
export async function startTrainer(options: TrainerOptions): Promise<Trainer> {
  return await (await import("limbeck-remote/tinker-server/server")).startTrainer(options);
}

/**
 * Starts it and waits until it listens.
 *
 * @example
 * import { bundledModel } from "limbeck/local";
 *
 * const python = process.env["LIMBECK_PYTHON"];
 * if (python !== undefined) {
 *   const trainer = await startTorchTrainer({ model: bundledModel("household"), checkpoints: "checkpoints", python, device: "cpu" });
 *   console.log(trainer.url, trainer.baseModel);
 *   await trainer.close();
 * }
 */
export async function startTorchTrainer(options: TorchTrainerOptions): Promise<TorchTrainer> {
  return await (await import("limbeck-remote/tinker-server/torch-trainer")).startTorchTrainer(options);
}
