import { metrics, type Meter, type MeterProvider, type ObservableCallback } from "@opentelemetry/api";
import { afterEach, expect, test } from "vitest";
import { openMeters } from "./meters.ts";

afterEach(() => metrics.disable());

/** A provider that writes down what it is told. */
function recorder() {
  const added: [string, number, unknown][] = [];
  const observed = new Map<string, ObservableCallback>();
  const instrument = (name: string) => ({
    add: (value: number, attributes: unknown) => void added.push([name, value, attributes]),
    record: (value: number, attributes: unknown) => void added.push([name, value, attributes]),
    addCallback: (callback: ObservableCallback) => void observed.set(name, callback),
    removeCallback: () => void observed.delete(name),
  });
  const meter = {
    createCounter: instrument,
    createHistogram: instrument,
    createObservableGauge: instrument,
  } as unknown as Meter;
  const provider: MeterProvider = { getMeter: () => meter };
  return { provider, added, observed };
}

test("jobs, episodes and queues are counted where there is a provider", async () => {
  const { provider, added, observed } = recorder();
  metrics.setGlobalMeterProvider(provider);
  const meters = await openMeters();
  const counts = { trajectories: 4, episodes: 4, failed: 0, succeeded: 3, judged: 4, steps: 9, sampledTokens: 70 };
  meters.finished("household", { ...counts, worker: "w" }, 1_500);
  meters.failed("household", "disk-full");
  expect(added).toEqual([
    ["limbeck.fleet.jobs", 1, { world: "household", outcome: "done" }],
    ["limbeck.fleet.episodes", 3, { world: "household", outcome: "success" }],
    ["limbeck.fleet.episodes", 1, { world: "household", outcome: "other" }],
    ["limbeck.fleet.tokens", 70, { world: "household" }],
    ["limbeck.fleet.job.duration", 1.5, { world: "household" }],
    ["limbeck.fleet.jobs", 1, { world: "household", outcome: "failed", code: "disk-full" }],
  ]);
  const queue = {
    world: "shop",
    protocol: 2,
    releases: "0.1",
    waiting: 5,
    active: 2,
    delayed: 1,
    parked: 0,
    perMinute: 3,
    limit: null,
  };
  meters.seen({ workers: [], queues: [queue], parked: [] });
  const seen: [number, unknown][] = [];
  const result = { observe: (value: number, attributes: unknown) => seen.push([value, attributes]) };
  await observed.get("limbeck.fleet.queue.jobs")?.(result);
  expect(seen[0]).toEqual([5, { world: "shop", state: "waiting" }]);
  expect(seen).toHaveLength(4);
  meters.close();
  expect(observed.size).toBe(0);
});
