/** Runs cases of all targets in a bounded child, starts another where one crashed or hung, and keeps what failed. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { ChildLine, ChildPlan } from "./child.ts";

export interface FuzzOptions {
  readonly targets: readonly string[];
  readonly seed: number;
  readonly seconds: number;
  /** Cases of each target. Default: as many as there is time for. */
  readonly cases?: number;
  /** Longest time of one case. Default: 10 s; a case that takes longer is tried again alone, with three times as much. */
  readonly limitMs?: number;
  readonly onFailure?: (failure: Failure) => void;
}

export interface Failure {
  readonly target: string;
  readonly index: number;
  readonly kind: string;
  readonly message: string;
  /** The file of the target that was damaged. */
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Counts {
  cases: number;
  read: number;
  refused: number;
  failed: number;
}

export interface Report {
  readonly counts: ReadonlyMap<string, Counts>;
  readonly failures: readonly Failure[];
}

const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));
/** That of this process, where it has one; a test runner has its own. */
const LOADER = process.execArgv.some((word) => word.includes("tsx")) ? process.execArgv : ["--import", "tsx"];
const HEAP_MEGABYTES = 1_024;
const LIMIT_MS = 10_000;
/** Loading the engine and building the seeds, on a machine that does other things too. */
const START_MS = 180_000;

export async function fuzz(options: FuzzOptions): Promise<Report> {
  const { targets, seed, seconds, cases, limitMs = LIMIT_MS } = options;
  const until = Date.now() + seconds * 1_000;
  const counts = new Map(targets.map((name) => [name, { cases: 0, read: 0, refused: 0, failed: 0 }]));
  const failures: Failure[] = [];
  const next = new Map(targets.map((name) => [name, 0]));
  const add = (failure: Failure): void => {
    failures.push(failure);
    (counts.get(failure.target) as Counts).failed += 1;
    options.onFailure?.(failure);
  };
  const left = (): [string, readonly [number, number | null]][] =>
    [...next].filter(([, at]) => cases === undefined || at < cases).map(([name, at]) => [name, [at, cases ?? null]]);
  while (left().length > 0 && Date.now() < until) {
    const folder = await mkdtemp(join(tmpdir(), "limbeck-fuzz-"));
    const plan = { seed, folder, until, sliceMs: 250, targets: Object.fromEntries(left()) };
    const stopped = await runChild(
      plan,
      limitMs,
      (line) => {
        if ("begins" in line) return;
        const name = "ends" in line ? line.ends : line.fails;
        next.set(name, line.index + 1);
        const count = counts.get(name) as Counts;
        count.cases += 1;
        if ("ends" in line) count[line.as] += 1;
      },
      async (line, current) =>
        add({ target: line.fails, index: line.index, kind: line.kind, message: line.message, ...current }),
    );
    if (stopped !== undefined) {
      const { target, index, name, how } = stopped;
      const bytes = await readFile(join(folder, "current")).catch(() => Buffer.alloc(0));
      next.set(target, index + 1);
      (counts.get(target) as Counts).cases += 1;
      const again = how === "hang" ? await replay(target, { name, bytes }, 3 * limitMs) : undefined;
      // A machine that is busy with others is no fault of the parser.
      if (how === "hang" && again === undefined) (counts.get(target) as Counts).read += 1;
      else add({ target, index, kind: how, message: again?.message ?? `The process ended by ${how}.`, name, bytes });
    }
    await rm(folder, { recursive: true, force: true });
  }
  return { counts, failures };
}

/** One input as it is; undefined where it does no harm. */
export async function replay(
  target: string,
  { name, bytes }: { readonly name: string; readonly bytes: Buffer },
  limitMs = 3 * LIMIT_MS,
): Promise<Failure | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-fuzz-"));
  let failure: Failure | undefined;
  const until = Date.now() + START_MS + limitMs;
  const plan = {
    seed: 0,
    folder,
    until,
    sliceMs: 1,
    targets: {},
    replay: { target, name, base64: bytes.toString("base64") },
  };
  const stopped = await runChild(
    plan,
    limitMs,
    () => undefined,
    async (line) => {
      failure = { target, index: 0, kind: line.kind, message: line.message, name, bytes };
    },
  );
  await rm(folder, { recursive: true, force: true });
  return stopped === undefined
    ? failure
    : { target, index: 0, kind: stopped.how, message: `It ended by ${stopped.how}.`, name, bytes };
}

interface Stopped {
  readonly target: string;
  readonly index: number;
  readonly name: string;
  readonly how: string;
}

type FailLine = Extract<ChildLine, { readonly fails: string }>;

/** Undefined where the child came to its end. */
async function runChild(
  plan: ChildPlan,
  limitMs: number,
  onLine: (line: ChildLine) => void,
  onFail: (line: FailLine, current: { readonly name: string; readonly bytes: Buffer }) => Promise<void>,
): Promise<Stopped | undefined> {
  // As a file: an input that is replayed may be longer than a command line can be.
  const told = join(plan.folder, "plan.json");
  await writeFile(told, JSON.stringify(plan));
  const words = [...LOADER, `--max-old-space-size=${HEAP_MEGABYTES}`, CHILD, told];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  let running: { target: string; index: number; name: string } | undefined;
  let isLate = false;
  let said = "";
  (child.stderr as Readable).setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-2_000)));
  const watch = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, ms);
  let timer = watch(START_MS);
  const waiting: Promise<void>[] = [];
  const lines = createInterface({ input: child.stdio[3] as Readable });
  lines.on("line", (text) => {
    const line = JSON.parse(text) as ChildLine;
    clearTimeout(timer);
    timer = watch("begins" in line ? limitMs : START_MS);
    if ("begins" in line) running = { target: line.begins, index: line.index, name: line.name };
    else {
      const name = running?.name ?? "";
      running = undefined;
      if ("fails" in line) {
        const path = join(plan.folder, `failed-${line.fails}-${line.index}`);
        const current = readFile(path).catch(() => Buffer.alloc(0));
        waiting.push(current.then((bytes) => onFail(line, { name, bytes })));
      }
    }
    onLine(line);
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", (status) => resolve(status)));
  clearTimeout(timer);
  await Promise.all(waiting);
  if (running !== undefined)
    return { ...running, how: isLate ? "hang" : `crash (${code ?? "signal"}): ${said.slice(-600)}` };
  if (code !== 0 && code !== null && !said.includes("pollution")) {
    if (isLate || said !== "") throw new Error(`The child of the fuzzer could not work (${code}): ${said}`);
  }
  return undefined;
}

export async function keep(folder: string, { target, index, name, kind, message, bytes }: Failure): Promise<string> {
  const at = join(folder, target);
  await mkdir(at, { recursive: true });
  const path = join(at, `${index}-${kind.replaceAll(/[^a-z]+/gi, "-").slice(0, 20)}@${name.replaceAll("/", "+")}`);
  await writeFile(path, bytes);
  await writeFile(`${path}.txt`, `${message}\n`);
  return path;
}
