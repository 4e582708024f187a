/** A console call is a message no program can read: in this repository it fails the test that made it. Each file is timed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, vi } from "vitest";
import { keepSessions } from "../packages/policy/src/graph/kept-sessions.ts";
import { sameNumbers } from "./support/same-numbers.ts";

// What the user of this machine has installed is not what is tested.
process.env["LIMBECK_MODELS"] = join(import.meta.dirname, "no-models");

// Files share a process, and most of them open the same tiny models.
keepSessions(256);

// Of this process: files share it, and each runs this.
const told = globalThis as { limbeckSameNumbers?: true };
if (told.limbeckSameNumbers === undefined) expect.addEqualityTesters([sameNumbers]);
told.limbeckSameNumbers = true;

const METHODS = ["debug", "error", "info", "log", "trace", "warn"] as const;
let calls: string[] = [];
const real = Object.fromEntries(METHODS.map((method) => [method, console[method]]));
// Not spies: thousands of tests would make six each.
const noting = Object.fromEntries(
  METHODS.map((method) => [
    method,
    (...values: unknown[]) => void calls.push(`console.${method}(${values.map(String).join(", ")})`),
  ]),
);

beforeEach(() => {
  calls = [];
  Object.assign(console, noting);
});

afterEach(() => {
  const seen = calls;
  vi.restoreAllMocks();
  Object.assign(console, real);
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
