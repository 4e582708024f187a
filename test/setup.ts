/** A console call is a message no program can read: in this repository it fails the test that made it. Each file is timed. */
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

const started = process.cpuUsage();
// oxlint-disable-next-line no-empty-pattern -- Vitest reads the first parameter's text.
afterAll(({}, file) => {
  const { user, system } = process.cpuUsage(started);
  file.meta.processorSeconds = (user + system) / 1e6;
});
