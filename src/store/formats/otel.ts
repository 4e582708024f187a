/**
 * OpenTelemetry GenAI spans as OTLP JSON: one export document per line, as collectors write them, or one large
 * document; a file or a folder of files. Written as one document per trajectory and line.
 */
import { throwIfAborted } from "../../base/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import { attempt } from "./fault.ts";
import type { Format, ReadOptions, WriteOptions } from "./format.ts";
import { createUnique } from "./identity.ts";
import { readJsonValues } from "./json-values.ts";
import { readTrace } from "./otel-read.ts";
import { TraceCollector, type Trace } from "./otel-traces.ts";
import { toOtlp } from "./otel-write.ts";
import { readSpan, SPAN_PATH, spansOf } from "./otlp.ts";
import { renamed } from "./renamed.ts";
import { writeFileSafely } from "./target.ts";

export const otel: Format = {
  id: "otel",
  summary: "OpenTelemetry GenAI spans as OTLP JSON; agents become trajectories, model calls become steps.",
  extensions: [".otlp.jsonl", ".otlp.json"],
  loses: "tokens and log-probabilities, prompts, costs, the split of time inside a step, and free info fields",
  read: readOtel,
  write: writeOtel,
};

async function* readOtel(path: string, options: ReadOptions): AsyncGenerator<Trajectory, void, undefined> {
  const unique = createUnique();
  const collector = new TraceCollector();
  const finish = function* (trace: Trace): Generator<Trajectory, void, undefined> {
    const found = attempt(trace.place, options, () => readTrace(trace)) ?? [];
    throwIfAborted(options.signal);
    for (const trajectory of found) yield renamed(trajectory, unique(trajectory.id), trace.place, options);
  };
  for await (const { value, file, line, whole } of readJsonValues(path, SPAN_PATH, options)) {
    const place = { file, line };
    const spans = whole ? (attempt(place, options, () => spansOf(value, place)) ?? []) : [value];
    for (const span of spans) attempt(place, options, () => collector.add(readSpan(span, place), place));
    for (const trace of collector.ready()) yield* finish(trace);
  }
  for (const trace of collector.rest()) yield* finish(trace);
}

async function writeOtel(
  path: string,
  trajectories: AsyncIterable<Trajectory>,
  options: WriteOptions,
): Promise<{ readonly trajectories: number; readonly bytes: number }> {
  let count = 0;
  async function* lines(): AsyncGenerator<string, void, undefined> {
    for await (const trajectory of trajectories) {
      yield `${JSON.stringify(toOtlp(trajectory, options.content ?? true))}\n`;
      count += 1;
      options.onProgress?.(count);
    }
  }
  const bytes = await writeFileSafely(path, lines(), options);
  return { trajectories: count, bytes };
}
