/** A training's episodes on a fleet: versions of the policy are published, tasks become jobs, episodes come back. */
import { checkOptions, may } from "../base/options.ts";
import { EngineError } from "../base/index.ts";
import { strategySettings } from "../recipe/settings.ts";
import { type Away, type SharedWeights } from "../training/index.ts";
import type { Settings } from "../update/settings.ts";
import type { JsonObject, Trajectory } from "../trajectory/index.ts";
import type { PolicyAddress } from "./job.ts";
import { openFleetRewards } from "./reward-on-fleet.ts";
import { rollOutOnFleet } from "./roll-out-on-fleet.ts";
import { openVersions, type VersionsOptions } from "./versions.ts";

export interface FleetAwayOptions {
  readonly redis: string;
  readonly run: string;
  readonly share: SharedWeights;
  readonly world: { readonly id: string; readonly options: JsonObject };
  readonly strategy: string;
  readonly settings: Settings;
  readonly lag: number;
  /** With weights on a trainer: the model's folder as workers see it, for its tokenizer; "bundled:household" for a bundled one. */
  readonly tokenizer: string;
  /** Where versions are written down for workers that see it. */
  readonly dir: string;
  readonly serve?: NonNullable<VersionsOptions["serve"]>;
  /** How often it is looked for missed events; see `FleetRequest`. */
  readonly lookMs?: number;
  /** Whether workers also give the rewards of the training, those that offer it. Default: the training computes them. */
  readonly rewardWorkers?: boolean;
  /** The plan of these rewards and the seed of the training; who opens it for a training knows both. */
  readonly rewards?: JsonObject | string | undefined;
  readonly seed?: number;
  readonly onNotice: (message: string) => void;
}

export const FLEET_AWAY_CHECKS = { lag: may.whole, lookMs: may.positive, seed: may.whole } as const;

/**
 * For `openAway` of a training: its episodes are played by workers.
 *
 * @example
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { startWorker } from "limbeck/fleet";
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
  checkOptions("openFleetAway", options, FLEET_AWAY_CHECKS);
  const { redis, run, world, strategy, settings, lag, onNotice, rewardWorkers = false } = options;
  const versions = await openShared(options);
  const giving = { redis, run, plan: options.rewards, seed: String(options.seed ?? 0), onNotice };
  const desk = rewardWorkers
    ? await openFleetRewards({ ...giving, ...(options.lookMs === undefined ? {} : { lookMs: options.lookMs }) })
    : undefined;
  let present: PolicyAddress | undefined;
  return {
    width: lag + 1,
    renew: async () => {
      present = await versions.publish();
    },
    play: async ({ update, tasks, seed, prefix, skills }, signal) => {
      if (present === undefined) throw new EngineError("internal", "Nothing was published before the first job.");
      // A task is rewarded as soon as it is played, while others are still being played.
      const given = new Map<string, Promise<readonly Trajectory[]>>();
      const onEpisodes = (episodes: readonly Trajectory[]): Promise<void> => {
        const [first] = episodes;
        if (first !== undefined && desk !== undefined) given.set(first.task.id, desk.give(episodes, update, signal));
        return Promise.resolve();
      };
      const { collected: plain, givenUp } = await rollOutOnFleet({
        ...(desk === undefined ? {} : { onEpisodes }),
        redis,
        run,
        env: { id: world.id, options: { ...world.options } as never },
        tasks,
        strategy: { name: strategy, options: { ...strategySettings(settings, strategy) } },
        seed,
        prefix,
        agent: { kind: "training", policy: present, settings: { ...settings }, skills: { ...skills } },
        peers: settings.group,
        episode: settings.maxSteps === null ? {} : { steps: settings.maxSteps },
        attempts: 3,
        concurrency: 64,
        deliver: { to: "caller" },
        signal,
        onNotice,
        ...(options.lookMs === undefined ? {} : { lookMs: options.lookMs }),
      });
      const rewarded = await Promise.all(tasks.map(async ({ id }) => (await given.get(id)) ?? []));
      const collected = desk === undefined ? plain : rewarded.flat();
      if (collected.length > 0 || tasks.length === 0) return collected;
      throw new EngineError(
        "jobs-parked",
        `Every task of update ${update} was given up by the fleet. The first: ${givenUp[0]?.error ?? "unknown"}`,
        { details: { update, givenUp } },
      );
    },
    close: async () => {
      await desk?.close();
      await versions.close();
    },
  };
}

interface Shared {
  publish(): Promise<PolicyAddress>;
  close(): Promise<void>;
}

/** As files that workers fetch, or as a path on the trainer that they sample from. */
async function openShared({ share, lag, dir, serve, tokenizer }: FleetAwayOptions): Promise<Shared> {
  // One that acts, one that is waited for, and those that the lag allows.
  const keep = lag + 3;
  if (share.kind === "here") {
    const versions = await openVersions({ dir, share, keep, ...(serve === undefined ? {} : { serve }) });
    return { publish: () => versions.publish(share.copy().version), close: () => versions.close() };
  }
  const paths: string[] = [];
  return {
    publish: async () => {
      const version = share.version();
      const path = await share.publish();
      paths.push(path);
      for (const old of paths.splice(0, Math.max(0, paths.length - keep))) await share.forget(old);
      return { kind: "sampler", url: share.url, path, version, tokenizer };
    },
    close: async () => {
      for (const path of paths.splice(0)) await share.forget(path);
    },
  };
}
