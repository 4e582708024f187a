/** The fleet's numbers as OpenTelemetry metrics, where the program that runs it has the API and a provider. */
import type { FleetState } from "./fleet-report.ts";
import type { JobSummary } from "./job.ts";

export interface Meters {
  finished(world: string, summary: JobSummary, ms: number): void;
  failed(world: string, code: string): void;
  /** The queues as they are now; reported until the next one. */
  seen(state: FleetState): void;
  close(): void;
}

const NOTHING: Meters = {
  finished: () => undefined,
  failed: () => undefined,
  seen: () => undefined,
  close: () => undefined,
};

/** Without the package nothing is counted, and nothing is missing either. */
export async function openMeters(): Promise<Meters> {
  const api = await import("@opentelemetry/api").catch(() => undefined);
  if (api === undefined) return NOTHING;
  const meter = api.metrics.getMeter("limbeck.fleet");
  const jobs = meter.createCounter("limbeck.fleet.jobs", { description: "Finished and failed attempts" });
  const episodes = meter.createCounter("limbeck.fleet.episodes", { description: "Episodes played" });
  const tokens = meter.createCounter("limbeck.fleet.tokens", { description: "Tokens sampled" });
  const seconds = meter.createHistogram("limbeck.fleet.job.duration", { unit: "s" });
  const depth = meter.createObservableGauge("limbeck.fleet.queue.jobs", { description: "Jobs of a queue by state" });
  const workers = meter.createObservableGauge("limbeck.fleet.workers", { description: "Workers by state" });
  let state: FleetState | undefined;
  const observeDepth = (result: { observe(value: number, attributes: Record<string, string>): void }): void => {
    for (const { world, waiting, active, delayed, parked } of state?.queues ?? []) {
      for (const [name, value] of Object.entries({ waiting, active, delayed, parked })) {
        result.observe(value, { world, state: name });
      }
    }
  };
  const observeWorkers = (result: { observe(value: number, attributes: Record<string, string>): void }): void => {
    const counts = new Map<string, number>();
    for (const { state: own } of state?.workers ?? []) counts.set(own, (counts.get(own) ?? 0) + 1);
    for (const [own, count] of counts) result.observe(count, { state: own });
  };
  depth.addCallback(observeDepth);
  workers.addCallback(observeWorkers);
  return {
    finished: (world, summary, ms) => {
      jobs.add(1, { world, outcome: "done" });
      episodes.add(summary.succeeded, { world, outcome: "success" });
      episodes.add(summary.episodes - summary.succeeded, { world, outcome: "other" });
      tokens.add(summary.sampledTokens, { world });
      seconds.record(ms / 1_000, { world });
    },
    failed: (world, code) => jobs.add(1, { world, outcome: "failed", code }),
    seen: (now) => (state = now),
    close: () => {
      depth.removeCallback(observeDepth);
      workers.removeCallback(observeWorkers);
    },
  };
}
