/** Health, readiness and numbers of a worker, for monitoring. */
import type { ServerAccess } from "limbeck-base/base/access";
import { createGuardedServer } from "limbeck-base/base/guarded-server";
import { closeServer, listenAt, type Listening } from "limbeck-base/base/listen";
import { metric, type Metric } from "limbeck-base/base/prometheus";
import { WorkerReportSchema, type WorkerReport } from "./fleet-report.ts";

export interface StatusServer extends Listening {
  close(): Promise<void>;
}

/** Without tokens the numbers are public at the address. */
export interface StatusPlace extends Pick<ServerAccess, "tokens" | "audit"> {
  readonly host: string;
  readonly port: number;
}

/** Ready: it takes jobs. One that is blocked, set aside or about to end is not. */
export async function serveStatus(report: () => WorkerReport, place: StatusPlace): Promise<StatusServer> {
  const ready = (): boolean => ["working", "idle"].includes(report().state);
  const { host, tokens, audit } = place;
  const options = {
    name: "worker",
    host,
    tokens,
    audit,
    routes: {},
    mostBytes: 0,
    ready,
    numbers: () => numbersOf(report()),
  };
  const server = createGuardedServer(options, (_request, response) => {
    response.writeHead(404, { "content-type": "text/plain" }).end("There are /healthz, /readyz and /metrics.\n");
  });
  const listening = await listenAt(server, place, "The worker's status");
  return { ...listening, close: () => closeServer(server) };
}

function numbersOf({ name, state, active, jobs, episodes, failed, secondsPerJob }: WorkerReport): Metric[] {
  const states = WorkerReportSchema.shape.state.options.map((one) => ({
    labels: { worker: name, state: one },
    value: one === state ? 1 : 0,
  }));
  return [
    { name: "limbeck_worker_state", help: "1 for the state it is in.", kind: "gauge", samples: states },
    metric("gauge", "limbeck_worker_jobs_active", "Jobs that are played.", active),
    metric("counter", "limbeck_worker_jobs_total", "Jobs done.", jobs),
    metric("counter", "limbeck_worker_episodes_total", "Episodes played.", episodes),
    metric("counter", "limbeck_worker_failed_total", "Attempts that failed.", failed),
    metric("gauge", "limbeck_worker_seconds_per_job", "Mean of the jobs done.", secondsPerJob),
  ];
}
