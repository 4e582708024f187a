/** `limbeck fleet`: workers, queues, rates and errors. */
import { input } from "limbeck-base/base/input";
import type { FleetState } from "limbeck-remote/fleet/fleet-report";
import type { Invocation } from "../command.ts";
import { defineCommand } from "../command-of.ts";
import { until } from "../listening.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { printTable, type Column } from "../look/table.ts";
import { formatCount, formatDuration, formatNumber, plural } from "limbeck-base/base/units";
import { parseCount, usageError } from "../parse.ts";
import { givenRedis, redisInput } from "./worker.ts";

export const fleet = defineCommand({
  group: "look",
  summary: "Show rollout workers, queues, rates and errors",
  usage: "--redis URL [options]",
  description:
    "Workers say what they do every few seconds; one that fell silent is gone from the list; one that is set aside failed several jobs in a row, and its last error stands below. A parked job was given up after its attempts, and stays until it is tried again (--retry) or a week has passed.\n" +
    "With --watch it goes on, and the same numbers are OpenTelemetry metrics (limbeck.fleet.*) where the process has a provider.",
  input: {
    ...redisInput,
    watch: input.time("Show it again and again, at this distance"),
    limit: input.texts("ENV=N", "Most jobs of a world at once over all workers; none lifts it"),
    retry: input.flag("Put parked jobs back into their queues"),
    lasts: input.time("With --watch: end by itself after this time", { flag: "for" }),
  },
  examples: [
    "limbeck fleet --redis redis://127.0.0.1:6379",
    "limbeck fleet --watch 5s",
    "limbeck fleet --limit shop=8",
    "limbeck fleet --retry --json",
  ],
  line: {
    workers:
      "name, state, protocol, engine, worlds, active, jobs, episodes, failed, seconds, secondsPerJob and problem of each worker",
    queues: "world, protocol, releases, waiting, active, delayed, parked, perMinute and limit of each queue",
    parked: "world, job, run, task, attempts and error of the newest parked jobs",
    retried: "with --retry: how many were put back",
  },
  natives: () => ["fleet"],
  run: async ({ limit, retry, watch, lasts = Infinity, ...given }, frame) => {
    const { connectRedis } = await import("limbeck-remote/fleet/connection");
    const { limitWorld, readFleet, retryParked } = await import("limbeck-remote/fleet/fleet-state");
    const { openMeters } = await import("limbeck-remote/fleet/meters");
    const { releasesOf } = await import("limbeck-remote/fleet/protocol");
    const redis = await connectRedis(givenRedis(given.redis, frame, "fleet"));
    const meters = await openMeters();
    const { now, signal } = frame;
    const started = now();
    try {
      for (const text of limit) {
        const [, world, most = ""] = /^([^=]+)=(.*)$/su.exec(text) ?? [];
        if (world === undefined) throw usageError(`--limit takes NAME=VALUE, not "${text}".`);
        await limitWorld(redis, world, most === "none" ? null : parseCount(most, "limit"));
      }
      const retried = retry ? { retried: await retryParked(redis) } : {};
      for (;;) {
        const state = await readFleet(redis);
        meters.seen(state);
        frame.emit({ ...state, ...retried });
        if (retried.retried !== undefined) frame.print(`${plural(retried.retried, "parked job")} put back.`);
        if (!frame.json) print(frame, state, releasesOf);
        if (watch === undefined) return;
        await until(signal, watch);
        if (signal.aborted || now() - started >= lasts) return;
      }
    } finally {
      meters.close();
      redis.disconnect();
    }
  },
});

function print(
  invocation: Invocation,
  { workers, queues, parked }: FleetState,
  releasesOf: (engine: string) => string,
): void {
  const { style } = invocation;
  const episodes = workers.reduce((total, worker) => total + worker.episodes, 0);
  invocation.print(style.bold(`${plural(workers.length, "worker")}, ${plural(episodes, "episode")} played by them`));
  table(
    invocation,
    ["worker", "state", "speaks", "jobs now", "done", "failed", "per job", "up"],
    workers.map(({ name, state, protocol, engine, active, jobs, failed, ...worker }) => {
      const counts = [active, jobs, failed].map(formatCount);
      const times = [worker.secondsPerJob, worker.seconds].map((seconds) => formatDuration(seconds * 1_000));
      return [name, state, lineOf(protocol, engine), ...counts, ...times];
    }),
  );
  table(
    invocation,
    ["queue", "for", "waiting", "active", "to retry", "parked", "jobs/min", "limit"],
    queues.map(({ world, protocol, releases, waiting, active, delayed, parked: given, perMinute, limit }) => {
      const counts = [waiting, active, delayed, given].map(formatCount);
      const most = limit === null ? "none" : formatCount(limit);
      return [world, lineOf(protocol, releases), ...counts, formatNumber(perMinute), most];
    }),
  );
  for (const { name, state, problem } of workers) {
    const why = state === "set-aside" ? "is set aside, because it failed several jobs in a row; the last: " : "";
    if (problem !== null) invocation.print(`${style.yellow("!")} ${cleanLine(name)}: ${why}${cleanLine(problem)}`);
  }
  for (const { world, protocol, releases, waiting } of queues) {
    const served = workers.some(
      (worker) =>
        worker.protocol === protocol && releasesOf(worker.engine) === releases && Object.hasOwn(worker.worlds, world),
    );
    if (waiting === 0 || served) continue;
    const jobs = `${plural(waiting, "job")} of ${cleanLine(world)}`;
    invocation.print(`${style.yellow("!")} Nobody is there for ${jobs}, ${lineOf(protocol, releases)}.`);
  }
  for (const { task, run, attempts, error } of parked) {
    const where = `${cleanLine(task)} of ${cleanLine(run)}, ${plural(attempts, "attempt")}`;
    invocation.print(`${style.red("✗")} ${where}: ${cleanLine(error)}`);
  }
}

/** "protocol 2, 0.1". */
function lineOf(protocol: number, engine: string): string {
  return `protocol ${protocol}, ${cleanLine(engine)}`;
}

function table(invocation: Invocation, titles: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  const words = ["worker", "state", "speaks", "queue", "for"];
  const columns = titles.map((title): Column => ({ title, align: words.includes(title) ? "left" : "right" }));
  printTable(invocation, columns, rows);
}
