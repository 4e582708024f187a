/** A training's episodes on a fleet: versions of the policy are published, tasks become jobs, episodes come back. */
import { checkOptions, may } from "limbeck-base/base/options";
import { EngineError } from "limbeck-base/base/errors";
import { strategySettings } from "limbeck-core/recipe/settings";
import type { Away } from "limbeck-training/training/asynchronous";
import type { SharedWeights, WeightsHere } from "limbeck-training/training/opened-model";
import { flattenSettings, type Settings } from "limbeck-core/update/settings";
import type { JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { PolicyAddress, PolicyFiles, PolicySource } from "./job.ts";
import { openFleetRewards } from "./reward-on-fleet.ts";
import { rollOutOnFleet } from "./roll-out-on-fleet.ts";
import { randomBytes } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { statIfThere } from "limbeck-base/base/files";
import type { Routes, ServerAccess } from "limbeck-base/base/access";
import { bearerOf, createGuardedServer } from "limbeck-base/base/guarded-server";
import { closeServer, listenAt } from "limbeck-base/base/listen";
import { plainPieces } from "limbeck-base/base/plain-file";
import { describePolicy } from "./policy-files.ts";

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
  /** The plan of these rewards and the seed of the training; the caller knows both. */
  readonly rewards?: JsonObject | string | undefined;
  readonly seed?: number;
  readonly onNotice: (message: string) => void;
}

export const FLEET_AWAY_CHECKS = { lag: may.whole, lookMs: may.positive, seed: may.whole } as const;

/** For `openAway` of a training: its episodes are played by workers. */
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
        agent: { kind: "training", policy: present, settings: flattenSettings(settings), skills: { ...skills } },
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

// The versions of a training, for its workers: in a folder, by hash, and over HTTP where workers do not see the folder.

interface Versions {
  /** Writes the present weights down and says where they are. */
  publish(version: number): Promise<PolicyFiles>;
  readonly url: string | undefined;
  close(): Promise<void>;
}

interface VersionsOptions {
  readonly dir: string;
  readonly share: Pick<WeightsHere, "write">;
  /** Versions kept on disk: those that queued work may still name. */
  readonly keep: number;
  /** Also over HTTP, at this address. `announced` is how workers reach it. Default: the address itself. */
  readonly serve?: Pick<ServerAccess, "tls" | "audit"> & {
    readonly host: string;
    readonly port: number;
    readonly announced?: string;
  };
}

export async function openVersions(options: VersionsOptions): Promise<Versions> {
  const { dir, share, keep, serve } = options;
  await mkdir(dir, { recursive: true });
  const published = new Map<string, PolicyFiles>();
  const server = serve === undefined ? undefined : await serveVersions(dir, published, serve);
  const sources = (hash: string): PolicySource[] => [
    { kind: "folder", path: join(dir, hash) },
    ...(server === undefined ? [] : [{ kind: "http", url: server.url, token: server.token } as const]),
  ];
  return {
    url: server?.url,
    publish: async (version) => {
      const scratch = join(dir, `.writing-${randomBytes(4).toString("hex")}`);
      try {
        await share.write(scratch);
        const described = await describePolicy(scratch, version, []);
        const { hash } = described;
        if ((await statIfThere(join(dir, hash))) === undefined) await rename(scratch, join(dir, hash));
        const address = { ...described, sources: sources(hash) };
        // Equal weights may come back; they count as new.
        published.delete(hash);
        published.set(hash, address);
        for (const old of [...published.keys()].slice(0, -keep)) {
          published.delete(old);
          await rm(join(dir, old), { recursive: true, force: true });
        }
        return address;
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    },
    close: async () => {
      await server?.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The token of a training stands in its jobs; there are no others. */
export const VERSIONS_ROUTES = { "GET /versions/{hash}/{file}": "read" } as const satisfies Routes;

interface VersionServer {
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}

async function serveVersions(
  dir: string,
  published: ReadonlyMap<string, PolicyFiles>,
  { host, port, announced, tls, audit }: NonNullable<VersionsOptions["serve"]>,
): Promise<VersionServer> {
  // It stands in the jobs: read access to the queue is read access to the weights.
  const token = randomBytes(24).toString("base64url");
  const server = createGuardedServer(
    {
      name: "versions",
      host,
      tls,
      secret: token,
      audit,
      routes: VERSIONS_ROUTES,
      shownBy: ({ headers }) => bearerOf(headers),
      mostBytes: 0,
    },
    (request, response) => {
      answer(dir, published, request, response).catch(() => response.destroy());
    },
  );
  const { url } = await listenAt(server, { host, port }, "The server of weights");
  return {
    url: announced ?? url,
    token,
    close: () => closeServer(server),
  };
}

async function answer(
  dir: string,
  published: ReadonlyMap<string, PolicyFiles>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, hash = "", name = ""] = /^\/versions\/([0-9a-f]{64})\/([A-Za-z0-9._-]+)$/.exec(request.url ?? "") ?? [];
  // Only names that were published: nothing of the request becomes a path.
  const known = Object.hasOwn(published.get(hash)?.files ?? {}, name);
  if (!known || request.method !== "GET") {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": "application/octet-stream" });
  await pipeline(await plainPieces(join(dir, hash, name)), response);
}
