/** Memory by threads against the same learner without it, over five paired seeds. */
import { expect, test } from "vitest";
import { tInterval } from "../../packages/base/src/base/statistics/student-t.ts";
import { createReader, logsOf, measure, readers, type Reader } from "./reader.ts";

const SEEDS = [531, 532, 533, 534, 535];

test("with threads in sight more is suggested in time, and fewer false alarms are raised, than by the last lines or by one", () => {
  const found = SEEDS.map((seed) => {
    const logs = logsOf(`test ${seed}`, 200);
    return new Map(readers.map((reader) => [reader, measure(logs, createReader(reader, seed))]));
  });
  const less = (by: "f1" | "alarms", other: Reader) =>
    tInterval(found.map((one) => (one.get("threads")?.[by] ?? 0) - (one.get(other)?.[by] ?? 0)));
  for (const other of ["memoryless", "window"] as const) {
    expect(less("f1", other).low).toBeGreaterThan(0);
    expect(less("alarms", other).high).toBeLessThan(0);
  }
});
