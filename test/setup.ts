/** A console call is a message no program can read: in this repository it fails the test that made it. Each file is timed. */
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeEach, vi } from "vitest";
import { keepSessions } from "../src/graph/kept-sessions.ts";

// Files share a process, and most of them open the same tiny models.
keepSessions(256);

const METHODS = ["debug", "error", "info", "log", "trace", "warn"] as const;
let calls: string[] = [];

beforeEach(() => {
  calls = [];
  for (const method of METHODS) {
    vi.spyOn(console, method).mockImplementation((...values: unknown[]) => {
      calls.push(`console.${method}(${values.map(String).join(", ")})`);
    });
  }
});

afterEach(() => {
  const seen = calls;
  vi.restoreAllMocks();
  if (seen.length > 0) {
    throw new Error(`Console calls are not allowed; write to the given output instead. Seen: ${seen.join("; ")}`);
  }
});

/** Of programs that this process started and that are over: Linux counts them, other systems do not say. */
function programSeconds(): number {
  if (process.platform !== "linux") return 0;
  const fields = readFileSync("/proc/self/stat", "latin1")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

const [started, programsBefore] = [process.cpuUsage(), programSeconds()];
// oxlint-disable-next-line no-empty-pattern -- Vitest reads the first parameter's text.
afterAll(({}, file) => {
  const { user, system } = process.cpuUsage(started);
  file.meta.processorSeconds = (user + system) / 1e6 + programSeconds() - programsBefore;
});
