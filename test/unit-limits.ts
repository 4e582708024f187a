/**
 * What a unit test may not do: start a program, listen, open a model that comes with the package, or take more than two seconds of
 * processor time. One that does fails, with a sentence that says where it belongs. The seconds are those of a usual machine: before a test
 * fails, it is measured how slow this one is now. A machine that is slow otherwise sets LIMBECK_TEST_PATIENCE.
 */
import { readFileSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { availableParallelism, loadavg } from "node:os";
import { join, sep } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";

const SECONDS = 2 * Number(process.env["LIMBECK_TEST_PATIENCE"] ?? 1);
const MODELS = join(import.meta.dirname, "..", "packages") + sep;

/** Of this process: files share it, so it is changed once. */
const watched = globalThis as { limbeckUnitFaults?: string[] };
const faults = (watched.limbeckUnitFaults ??= watch());

function watch(): string[] {
  const found: string[] = [];
  const require = createRequire(import.meta.url);
  const before = (owner: object, name: string, look: (first: unknown) => string | undefined): void => {
    const methods = owner as Record<string, (...words: unknown[]) => unknown>;
    const real = methods[name] as (...words: unknown[]) => unknown;
    const seen = function (this: unknown, ...words: unknown[]): unknown {
      const fault = look(words[0]);
      if (fault !== undefined) found.push(fault);
      return real.apply(this, words);
    };
    methods[name] = seen;
  };
  const programs = require("node:child_process") as { readonly ChildProcess: { readonly prototype: object } };
  before(programs.ChildProcess.prototype, "spawn", (given) => starts((given as { readonly file: string }).file));
  for (const name of ["execFileSync", "execSync", "spawnSync"]) before(programs, name, starts);
  const { Server } = require("node:net") as { readonly Server: { readonly prototype: object } };
  before(Server.prototype, "listen", () => "listens");
  const opens = (path: unknown): string | undefined =>
    String(path).startsWith(MODELS) && String(path).endsWith(".safetensors")
      ? `opens a bundled model (${String(path)})`
      : undefined;
  for (const name of ["open", "readFile"]) before(require("node:fs/promises") as object, name, opens);
  for (const name of ["openSync", "readFileSync"]) before(require("node:fs") as object, name, opens);
  syncBuiltinESMExports();
  return found;
}

function starts(program: unknown): string {
  return `starts a program (${String(program)})`;
}

/** What `work` takes on a processor of 2.5 GHz with nobody beside it; with somebody on its other half, twice as long. */
const USUAL_SECONDS = 0.008;

function work(): void {
  const values = new Float64Array(4_096);
  let state = 1;
  for (let turn = 0; turn < 3_000_000; turn += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    values[state & 4_095] = Math.sqrt(state);
  }
}

function measured(body: () => void): number {
  const begun = process.cpuUsage();
  body();
  return secondsSince(begun);
}

function secondsSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1e6;
}

/**
 * How many times slower than usual this machine is now, at least 1: by the time of a small piece of work, or by how many programs
 * share a processor, since what they take from caches and memory the small piece does not feel.
 */
function slowness(): number {
  const tries = Array.from({ length: 9 }, () => measured(work)).sort((one, other) => one - other);
  return Math.max(1, (tries[4] ?? 0) / USUAL_SECONDS, (loadavg()[0] ?? 0) / (1.5 * availableParallelism()));
}

/** Seconds in which a virtual machine did not run although it wanted to; they count as this process's own. */
function stolenSeconds(): number {
  if (process.platform !== "linux") return 0;
  const [, , , , , , , , stolen = 0] =
    readFileSync("/proc/stat", "latin1").split("\n", 1)[0]?.split(/ +/).map(Number) ?? [];
  return stolen / 100;
}

/** What the first file of a process imports is not the merit of the test that came first: 2 ms a module, more where nothing is cached. */
const MODULE_SECONDS = 0.004;

function modulesLoaded(): number {
  const { __vitest_worker__: worker } = globalThis as {
    readonly __vitest_worker__?: {
      readonly evaluatedModules?: { readonly idToModuleMap?: ReadonlyMap<string, unknown> };
    };
  };
  return worker?.evaluatedModules?.idToModuleMap?.size ?? 0;
}

/** Until a process has worked that long it still compiles what it runs, and a test has twice the time. */
const YOUNG_SECONDS = 15;

let since = process.cpuUsage();
let begun = 0;
let allowed = SECONDS;
let stolenBefore = 0;
let modulesBefore = 0;

beforeEach(() => {
  faults.length = 0;
  stolenBefore = stolenSeconds();
  modulesBefore = modulesLoaded();
  begun = performance.now();
  since = process.cpuUsage();
  allowed = (since.user + since.system) / 1e6 < YOUNG_SECONDS ? 2 * SECONDS : SECONDS;
});

afterEach(() => {
  // Other programs make the clock run on, and the collector and its threads the processor time of a shared process: what a test does itself is in both.
  let seconds = Math.min(secondsSince(since), (performance.now() - begun) / 1_000);
  if (seconds > allowed) {
    const stolen = stolenSeconds() - stolenBefore;
    seconds = (seconds - stolen) / slowness() - MODULE_SECONDS * (modulesLoaded() - modulesBefore);
  }
  const all = [...new Set(faults)];
  if (seconds > allowed) all.push(`takes ${seconds.toFixed(1)} s of processor time, where a unit test has ${allowed}`);
  if (all.length === 0) return;
  const file = expect.getState().testPath ?? "";
  throw new Error(
    `A unit test that ${all.join(", and ")}. Make it smaller, or move it to ${file.replace(/^.*\//, "").replace(/\.test\.ts$/, ".system.test.ts")}; CONTRIBUTING.md says what lives where.`,
  );
});
