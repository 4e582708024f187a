import { metrics, type Meter, type ObservableCallback } from "@opentelemetry/api";
import { afterEach, expect, test } from "vitest";
import { observeNumbers } from "./guarded-server.ts";
import { metric } from "./prometheus.ts";

afterEach(() => metrics.disable());

test("numbers of a server are observed under the names of its page, until it ends", async () => {
  const observed = new Map<string, ObservableCallback>();
  const made: string[] = [];
  const create = (kind: string) => (name: string) => {
    made.push(`${kind} ${name}`);
    return {
      addCallback: (callback: ObservableCallback) => void observed.set(name, callback),
      removeCallback: () => void observed.delete(name),
    };
  };
  const meter = { createObservableCounter: create("counter"), createObservableGauge: create("gauge") };
  const names: string[] = [];
  const getMeter = (name: string): Meter => (names.push(name), meter as unknown as Meter);
  metrics.setGlobalMeterProvider({ getMeter });
  let queue = 3;
  const end = await observeNumbers("trainer", () => [
    metric("gauge", "limbeck_trainer_queue", "Waits.", queue),
    {
      name: "limbeck_http_requests_total",
      help: "x",
      kind: "counter",
      samples: [{ labels: { status: "200" }, value: 7 }],
    },
  ]);
  expect([names, made]).toEqual([
    ["limbeck.trainer"],
    ["gauge limbeck_trainer_queue", "counter limbeck_http_requests"],
  ]);
  queue = 5;
  const seen: unknown[] = [];
  for (const callback of observed.values()) {
    void callback({ observe: (value: number, labels: unknown) => void seen.push([value, labels]) });
  }
  expect(seen).toEqual([
    [5, { server: "trainer" }],
    [7, { server: "trainer", status: "200" }],
  ]);
  end();
  expect(observed.size).toBe(0);
});
