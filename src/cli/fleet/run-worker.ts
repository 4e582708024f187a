/** A worker from the command line: start, tell, drain. */
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { resolvePlace } from "../../base/object-address.ts";
import { withoutUndefined } from "../../base/index.ts";
import { envs, getWorld } from "../../env/index.ts";
import { startWorker, type FleetWorker, type WorkerEvent } from "../../fleet/index.ts";
import { serveStatus, type StatusPlace, type StatusServer } from "../../fleet/status-server.ts";
import { OWN_LINE } from "../../fleet/protocol.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { givenAccess, givenTime } from "../listening.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatCount, formatDuration, plural } from "../look/units.ts";
import { givenCount, maybeCount } from "../model/open-given.ts";
import { parseCount, usageError } from "../parse.ts";
import { until } from "../until.ts";

export async function runWorker(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const lastsMs = givenTime(invocation, "for");
  const store = invocation.text("store");
  const worlds = await givenWorlds(invocation);
  const worker = await startWorker({
    redis: givenRedis(invocation, "worker"),
    worlds,
    cache: resolve(io.cwd, invocation.text("cache") ?? join(tmpdir(), "limbeck-policies")),
    env: io.env,
    allowCommands: invocation.flag("allow-commands"),
    deaths: givenCount(invocation, "deaths", 5, 0),
    failures: givenCount(invocation, "failures", 3),
    onEvent: (event) => tell(invocation, event),
    ...withoutUndefined({
      leaseMs: givenTime(invocation, "lease"),
      store: store === undefined ? undefined : resolvePlace(io.cwd, store),
      threads: maybeCount(invocation, "threads"),
      name: invocation.text("name"),
      rewards: maybeCount(invocation, "rewards"),
    }),
  });
  const status = await servedStatus(invocation, worker);
  const metrics = status === undefined ? {} : { metrics: `${status.url}/metrics` };
  if (invocation.json) invocation.printJson({ event: "ready", name: worker.name, ...OWN_LINE, worlds, ...metrics });
  else {
    const served = Object.entries(worlds).map(([world, count]) =>
      count === 1 ? world : `${world} (${count} at once)`,
    );
    const rewards = invocation.text("rewards");
    if (rewards !== undefined) served.push(`rewards (${rewards} at once)`);
    invocation.print(`Worker ${invocation.style.bold(cleanLine(worker.name))} waits for jobs of ${served.join(", ")}.`);
  }
  await until(io.signal, lastsMs);
  const { active } = worker.report();
  if (active > 0) invocation.note(`Finishing ${plural(active, "job")}; a second signal ends it at once.`);
  await worker.close();
  await status?.close();
  const { jobs, episodes, failed } = worker.report();
  if (invocation.json) invocation.printJson({ event: "stopped", name: worker.name, jobs, episodes, failed });
  else invocation.print(`${plural(jobs, "job")} done, ${plural(episodes, "episode")}, ${formatCount(failed)} failed.`);
  return EXIT.done;
}

async function servedStatus(invocation: Invocation, worker: FleetWorker): Promise<StatusServer | undefined> {
  const text = invocation.text("metrics");
  if (text === undefined) return undefined;
  try {
    const access = await givenAccess(invocation);
    const status = await serveStatus(worker.report, { ...givenPlace(text), ...access });
    const close = async (): Promise<void> => {
      await status.close();
      await access.audit?.close();
    };
    return { ...status, close };
  } catch (error) {
    await worker.close();
    throw error;
  }
}

function givenPlace(text: string): StatusPlace {
  const match = /^(.+):(\d{1,5})$/.exec(text);
  if (match?.[1] !== undefined && Number(match[2]) <= 65_535) {
    return { host: match[1].replace(/^\[|\]$/g, ""), port: Number(match[2]) };
  }
  throw usageError(`--metrics must be an address and a port, such as 127.0.0.1:4146; got "${text}".`);
}

/** Not on the command line where it has a password: lists of processes show it. */
export function givenRedis(invocation: Invocation, command: string): string {
  const url = invocation.text("redis") ?? invocation.io.env["LIMBECK_REDIS"];
  if (url !== undefined && url !== "") return url;
  throw usageError(`"limbeck ${command}" needs --redis URL or LIMBECK_REDIS: redis://127.0.0.1:6379, for example.`);
}

async function givenWorlds(invocation: Invocation): Promise<Record<string, number>> {
  const given = invocation.texts("env");
  // Who offers rewards and names no world gives rewards alone.
  if (given.length === 0 && invocation.text("rewards") !== undefined) return {};
  if (given.length === 0) return Object.fromEntries(Object.keys(envs).map((id) => [id, 1]));
  const worlds: Record<string, number> = {};
  for (const text of given) {
    const [id = "", count] = text.split("=");
    await getWorld(id);
    worlds[id] = count === undefined ? 1 : parseCount(count, "env");
  }
  return worlds;
}

function tell(invocation: Invocation, event: WorkerEvent): void {
  const { kind, ...rest } = event;
  if (invocation.json) {
    invocation.printJson({ event: kind, ...rest });
    return;
  }
  if (event.kind === "done") {
    const { episodes, succeeded } = event.summary;
    const share = `${formatCount(succeeded)} of ${plural(episodes, "episode")} succeeded`;
    invocation.note(`${cleanLine(event.task)}: ${share} (${formatDuration(event.ms)})`);
  } else if (event.kind === "failed") invocation.note(`! ${cleanLine(event.task)}: ${cleanLine(event.message)}`);
  else if (event.kind === "blocked") {
    invocation.note(`! ${cleanLine(event.message)} Waiting ${formatDuration(event.waitMs)}.`);
  } else if (event.kind === "set-aside") {
    invocation.note(`! Set aside, because several jobs failed in a row: ${cleanLine(event.message)}`);
    invocation.note(`! Trying again in ${formatDuration(event.waitMs)}.`);
  } else if (event.kind === "problem") invocation.note(`! ${cleanLine(event.message)}`);
  else if (event.kind === "connection") invocation.note(event.connected ? "Redis is back." : "! Redis is gone.");
}
