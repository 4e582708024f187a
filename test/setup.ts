/** A console call is a message no program can read: in this repository it fails the test that made it. */
import { afterEach, beforeEach, vi } from "vitest";

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
