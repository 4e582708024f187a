/** `limbeck worker`: plays rollouts from a queue, on any machine. */
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { withoutUndefined } from "limbeck-base/base/fields";
import { input } from "limbeck-base/base/input";
import type { Context } from "limbeck-base/base/operation";
import { resolvePlace } from "limbeck-base/base/object-address";
import type { WorkerEvent } from "limbeck-remote/fleet/worker";
import { engineInputs } from "limbeck-policy/policy/engine.inputs";
import { defineCommand } from "../command-of.ts";
import { accessInputs, serve, type Serving } from "../listening.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatCount, formatDuration, plural } from "limbeck-base/base/units";
import { parseCount, usageError } from "../parse.ts";

export const redisInput = { redis: input.text("URL", "The Redis server. Default: LIMBECK_REDIS") };

const name = { name: "the worker" };
const task = { job: "the job", task: "its task" };
const message = { message: "what went wrong and what to do" };
const waitMs = { waitMs: "how long it takes no jobs" };

export const worker = defineCommand({
  group: "learn",
  summary: "Run rollouts from a queue, on any number of machines",
  usage: "--redis URL [options]",
  description:
    "Takes jobs of limbeck rollout --fleet and limbeck train --fleet, plays them and delivers the episodes: into the store of who asks, whose folder it must see (--store gives its own path to it), or back through Redis. Versions of policies are fetched once and kept by content.\n" +
    "It may be killed at any moment: its jobs go to other workers, and nothing is stored twice. On SIGTERM and Ctrl-C it takes no more jobs and finishes those it has; a second signal ends it at once. A worker that cannot write gives its jobs back and waits; one that fails several jobs in a row is set aside, and tries one from time to time. It takes jobs of its own protocol and releases only.\n" +
    "The address may stand in LIMBECK_REDIS, so that no list of processes shows its password. Chat models and trainers are reached with the variables of the worker. docs/learn/fleet.md tells the rest.",
  input: {
    ...redisInput,
    env: input.texts("ID[=N]", "A world it serves, and how many jobs of it at once. Default: every world, one each"),
    rewards: input.count(
      "N",
      "Also give rewards of trainings with --fleet-rewards, so many jobs at once. Default: none",
    ),
    cache: input.path("DIR", "Folder for versions of policies. Default: in the temporary folder"),
    name: input.text("NAME", "Its name in limbeck fleet. Default: made from the machine"),
    lease: input.time("Silence after which its jobs go to others. Default: 30s"),
    deaths: input.count("N", "A job that more workers died of is parked", { least: 0, default: 5 }),
    failures: input.count("N", "Set aside after so many different jobs failed in a row", { default: 3 }),
    allowCommands: input.flag(
      "Let jobs name programs for a world to start; only where all who write to this Redis may",
    ),
    metrics: input.text("HOST:PORT", "Serve /healthz, /readyz and /metrics there. Default: nowhere"),
    ...accessInputs,
    threads: engineInputs.threads,
  },
  examples: [
    "limbeck worker --redis redis://127.0.0.1:6379",
    "limbeck worker --redis redis://10.0.0.5:6379 --env household=4 --threads 1 --store /mnt/lake",
    "LIMBECK_REDIS=rediss://:…@queue:6380 limbeck worker --env countdown=32",
  ],
  events: {
    ready: {
      ...name,
      protocol: "the protocol whose jobs it takes",
      engine: "its release",
      worlds: "jobs at once, by world",
      metrics: "the address of its numbers, with --metrics",
    },
    taken: { ...task, attempt: "counts from 1" },
    done: { ...task, summary: "episodes, how many succeeded and failed, steps and tokens", ms: "time taken" },
    failed: { ...task, code: "code of the error", ...message },
    blocked: { ...message, ...waitMs },
    "set-aside": { ...message, ...waitMs },
    problem: message,
    connection: { connected: "whether Redis is there" },
    stopped: { ...name, jobs: "jobs done", episodes: "episodes played", failed: "attempts that failed" },
  },
  natives: () => ["onnxruntime", "fleet"],
  run: async (given, frame) => {
    const { startWorker } = await import("limbeck-remote/fleet/worker");
    const { OWN_LINE } = await import("limbeck-remote/fleet/protocol");
    const { serveStatus } = await import("limbeck-remote/fleet/status-server");
    const { cwd, environment: env } = frame;
    const { deaths, failures, allowCommands, lease: leaseMs, threads, name, rewards, metrics } = given;
    const redis = givenRedis(given.redis, frame, "worker");
    const store = frame.text("store");
    const worlds = await givenWorlds(given.env, rewards);
    const fixed = { redis, worlds, env, allowCommands, deaths, failures };
    const status = metrics === undefined ? undefined : hostAndPort(metrics);
    const start = async (place: Serving) => {
      const worker = await startWorker({
        ...fixed,
        cache: resolve(cwd, given.cache ?? join(tmpdir(), "limbeck-policies")),
        onEvent: ({ kind, ...event }) => {
          frame.emit({ event: kind, ...event });
          for (const line of eventLines({ kind, ...event } as WorkerEvent)) frame.note(line);
        },
        ...withoutUndefined({ leaseMs, threads, name, rewards }),
        ...(store === undefined ? {} : { store: resolvePlace(cwd, store) }),
      });
      const served = status === undefined ? undefined : serveStatus(worker.report, { ...place, ...status });
      await served?.catch(() => worker.close());
      const close = async (): Promise<void> => {
        const { active } = worker.report();
        if (active > 0) frame.note(`Finishing ${plural(active, "job")}; a second signal ends it at once.`);
        await worker.close();
        await (await served)?.close();
      };
      return { worker, close, numbers: served === undefined ? {} : { metrics: `${(await served).url}/metrics` } };
    };
    const { worker } = await serve(given, frame, start, ({ worker, numbers }) => {
      frame.emit({ event: "ready", name: worker.name, ...OWN_LINE, worlds, ...numbers });
      const all = rewards === undefined ? worlds : { ...worlds, rewards };
      const served = Object.entries(all).map(([what, count]) =>
        count === 1 && what !== "rewards" ? what : `${what} (${count} at once)`,
      );
      frame.print(`Worker ${frame.style.bold(cleanLine(worker.name))} waits for jobs of ${served.join(", ")}.`);
    });
    const { jobs, episodes, failed } = worker.report();
    frame.emit({ event: "stopped", name: worker.name, jobs, episodes, failed });
    frame.print(`${plural(jobs, "job")} done, ${plural(episodes, "episode")}, ${formatCount(failed)} failed.`);
  },
});

function hostAndPort(text: string): { readonly host: string; readonly port: number } {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host !== undefined && Number(port) <= 65_535) return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
  throw usageError(`--metrics must be an address and a port, such as 127.0.0.1:4146; got "${text}".`);
}

/** Not on the command line where it has a password: lists of processes show it. */
export function givenRedis(given: string | undefined, { environment }: Context, command: string): string {
  const url = given ?? environment["LIMBECK_REDIS"];
  if (url !== undefined && url !== "") return url;
  throw usageError(`"limbeck ${command}" needs --redis URL or LIMBECK_REDIS: redis://127.0.0.1:6379, for example.`);
}

/** Every world, one job each, where none is named; none where only rewards are offered. */
async function givenWorlds(given: readonly string[], rewards: number | undefined): Promise<Record<string, number>> {
  const { envs, getWorld } = await import("limbeck-worlds/index");
  const all = rewards === undefined ? Object.keys(envs) : [];
  const worlds: Record<string, number> = {};
  for (const text of given.length === 0 ? all : given) {
    const [id = "", count] = text.split("=");
    await getWorld(id);
    worlds[id] = count === undefined ? 1 : parseCount(count, "env");
  }
  return worlds;
}

function eventLines(event: WorkerEvent): string[] {
  if (event.kind === "taken") return [];
  if (event.kind === "connection") return [event.connected ? "Redis is back." : "! Redis is gone."];
  if (event.kind === "done") {
    const { task, ms, summary } = event;
    const share = `${formatCount(summary.succeeded)} of ${plural(summary.episodes, "episode")} succeeded`;
    return [`${cleanLine(task)}: ${share} (${formatDuration(ms)})`];
  }
  const message = cleanLine(event.message);
  if (event.kind === "failed") return [`! ${cleanLine(event.task)}: ${message}`];
  if (event.kind === "problem") return [`! ${message}`];
  const wait = formatDuration(event.waitMs);
  if (event.kind === "blocked") return [`! ${message} Waiting ${wait}.`];
  return [`! Set aside, because several jobs failed in a row: ${message}`, `! Trying again in ${wait}.`];
}
