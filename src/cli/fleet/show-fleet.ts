/** The fleet on a terminal, or as JSON. */
import { connectRedis, limitWorld, readFleet, retryParked, type FleetState } from "../../fleet/index.ts";
import { releasesOf } from "../../fleet/protocol.ts";
import { openMeters } from "../../fleet/meters.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { printTable, type Column } from "../look/table.ts";
import { formatCount, formatDuration, formatNumber, plural } from "../look/units.ts";
import { parseOptionTexts } from "../play/world-options.ts";
import { parseCount, parseDuration } from "../parse.ts";
import { until } from "../until.ts";
import { givenRedis } from "./run-worker.ts";

export async function showFleet(invocation: Invocation): Promise<number> {
  const redis = await connectRedis(givenRedis(invocation, "fleet"));
  const meters = await openMeters();
  const [watch, lasts] = [invocation.text("watch"), invocation.text("for")];
  const { now, signal } = invocation.io;
  const started = now();
  try {
    for (const [world, text] of parseOptionTexts(invocation, "limit")) {
      await limitWorld(redis, world, text === "none" ? null : parseCount(text, "limit"));
    }
    const retried = invocation.flag("retry") ? { retried: await retryParked(redis) } : {};
    for (;;) {
      const state = await readFleet(redis);
      meters.seen(state);
      if (invocation.json) invocation.printJson({ ...state, ...retried });
      else print(invocation, state, retried.retried);
      if (watch === undefined) return EXIT.done;
      await until(signal, parseDuration(watch, "watch"));
      const over = lasts !== undefined && now() - started >= parseDuration(lasts, "for");
      if (signal.aborted || over) return EXIT.done;
    }
  } finally {
    meters.close();
    redis.disconnect();
  }
}

function print(invocation: Invocation, { workers, queues, parked }: FleetState, retried: number | undefined): void {
  const { style } = invocation;
  if (retried !== undefined) invocation.print(`${plural(retried, "parked job")} put back.`);
  const episodes = workers.reduce((total, worker) => total + worker.episodes, 0);
  invocation.print(style.bold(`${plural(workers.length, "worker")}, ${plural(episodes, "episode")} played by them`));
  table(
    invocation,
    ["worker", "state", "speaks", "jobs now", "done", "failed", "per job", "up"],
    workers.map((worker) => [
      worker.name,
      worker.state,
      lineOf(worker.protocol, worker.engine),
      formatCount(worker.active),
      formatCount(worker.jobs),
      formatCount(worker.failed),
      formatDuration(worker.secondsPerJob * 1_000),
      formatDuration(worker.seconds * 1_000),
    ]),
  );
  table(
    invocation,
    ["queue", "for", "waiting", "active", "to retry", "parked", "jobs/min", "limit"],
    queues.map((queue) => [
      queue.world,
      lineOf(queue.protocol, queue.releases),
      ...[queue.waiting, queue.active, queue.delayed, queue.parked].map(formatCount),
      formatNumber(queue.perMinute),
      queue.limit === null ? "none" : formatCount(queue.limit),
    ]),
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
    const jobs = plural(waiting, "job");
    invocation.print(
      `${style.yellow("!")} Nobody is there for ${jobs} of ${cleanLine(world)}, ${lineOf(protocol, releases)}.`,
    );
  }
  for (const { task, run, attempts, error } of parked) {
    invocation.print(
      `${style.red("✗")} ${cleanLine(task)} of ${cleanLine(run)}, ${plural(attempts, "attempt")}: ${cleanLine(error)}`,
    );
  }
}

/** "protocol 2, 0.1". */
function lineOf(protocol: number, engine: string): string {
  return `protocol ${protocol}, ${cleanLine(engine)}`;
}

function table(invocation: Invocation, titles: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  const words = new Set(["worker", "state", "speaks", "queue", "for"]);
  const columns = titles.map((title): Column => ({ title, align: words.has(title) ? "left" : "right" }));
  printTable(invocation, columns, rows);
}
