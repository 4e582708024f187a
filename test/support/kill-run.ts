/** Kills writers of one store while others read and compact it, and says what became of the data. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { build } from "esbuild";
import { createRng, mapLimit, type Rng } from "../../src/base/index.ts";
import { openStore } from "../../src/store/index.ts";
import { madeFrom, RUN } from "./kill-data.ts";

export interface KillOptions {
  readonly root: string;
  readonly kills: number;
  /** Writers that are alive at the same time. */
  readonly writers: number;
  readonly compactors: number;
  readonly seed: string | number;
  readonly onKill?: (done: number) => void;
}

export interface KillReport {
  readonly kills: number;
  /** Trajectories of which a writer has said that they are committed, and all that are stored in the end. */
  readonly acknowledged: number;
  readonly stored: number;
  readonly reads: number;
  readonly compactions: number;
  readonly deleted: number;
  /** Everything that is not as it should be. */
  readonly faults: readonly string[];
}

export async function runKills(options: KillOptions): Promise<KillReport> {
  const { root, kills, writers, compactors } = options;
  const store = openStore(root);
  await (await store.createRun({ id: RUN, kind: "test" })).close();
  const programs = await bundlePrograms();
  const start = (program: Program, args: readonly string[]): Child =>
    startChild(join(programs, `${program}.mjs`), args);
  const watchers = [
    start("kill-reader", [root]),
    ...Array.from({ length: compactors }, () => start("kill-compactor", [root])),
  ];
  const acknowledged: string[] = [];
  const faults: string[] = [];
  let done = 0;
  await mapLimit(
    Array.from({ length: kills }, (_, index) => index),
    writers,
    async (index) => {
      acknowledged.push(
        ...(await killOne(start, root, `writer-${index}`, createRng(options.seed).split(index), faults)),
      );
      done += 1;
      options.onKill?.(done);
    },
  );
  const counts: Record<string, number> = {};
  for (const line of (await Promise.all(watchers.map(stop))).flat()) {
    const [word = "", count] = line.split(" ");
    if (line.startsWith("fault")) faults.push(line);
    else counts[word] = (counts[word] ?? 0) + Number(count);
  }
  await rm(programs, { recursive: true, force: true });
  const stored = await checkStored(root, acknowledged, faults);
  return {
    kills: done,
    acknowledged: acknowledged.length,
    stored,
    reads: counts["reads"] ?? 0,
    compactions: counts["compactions"] ?? 0,
    deleted: counts["deleted"] ?? 0,
    faults,
  };
}

/** Half of the writers die by their own hand inside a file operation, half at a random moment from outside. */
async function killOne(start: Start, root: string, name: string, rng: Rng, faults: string[]): Promise<string[]> {
  const inside = rng.int(2) === 1;
  const operation = rng.int(2) === 1 ? `commit-${1 + rng.int(4)}` : `put-${1 + rng.int(12)}`;
  const child = start("kill-writer", [root, name, inside ? operation : "-"]);
  const commits = rng.int(4);
  const delayMs = rng.int(25);
  child.lines.on("line", () => {
    if (!inside && child.said.length === commits + 1) setTimeout(() => child.process.kill("SIGKILL"), delayMs);
  });
  const signal = await child.ended;
  if (signal !== "SIGKILL") faults.push(`fault: ${name} ended by itself: ${child.errors.join("")}`);
  return child.said.flatMap((line) => line.split(" "));
}

async function checkStored(root: string, acknowledged: readonly string[], faults: string[]): Promise<number> {
  const stored = new Map<string, number>();
  for await (const trajectory of openStore(root).trajectories({ run: RUN })) {
    stored.set(trajectory.id, (stored.get(trajectory.id) ?? 0) + 1);
    if (!isDeepStrictEqual(trajectory, madeFrom(trajectory.id))) faults.push(`fault: ${trajectory.id} is not whole`);
  }
  for (const [id, count] of stored) if (count !== 1) faults.push(`fault: ${id} is stored ${count} times`);
  for (const id of acknowledged) if (!stored.has(id)) faults.push(`fault: ${id} was committed and is lost`);
  return stored.size;
}

type Program = (typeof PROGRAMS)[number];
type Start = (program: Program, args: readonly string[]) => Child;

const PROGRAMS = ["kill-writer", "kill-reader", "kill-compactor"] as const;

/**
 * One file for each program: a killed writer lives for a moment only, and loading it as many TypeScript files would be
 * three quarters of its life. Inside the project, because what stays outside the bundle is looked up from there.
 */
async function bundlePrograms(): Promise<string> {
  const cache = join(import.meta.dirname, "..", "..", "node_modules", ".cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "limbeck-kill-"));
  await build({
    entryPoints: PROGRAMS.map((program) => join(import.meta.dirname, `${program}.ts`)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["parquet-wasm", "@duckdb/node-api"],
    logLevel: "silent",
  });
  return folder;
}

interface Child {
  readonly process: ChildProcess;
  readonly lines: ReturnType<typeof createInterface>;
  readonly said: string[];
  readonly errors: string[];
  /** The signal that ended it, after the last of its output. */
  readonly ended: Promise<string | null>;
}

function startChild(file: string, args: readonly string[]): Child {
  const child = spawn(process.execPath, [file, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const [said, errors]: [string[], string[]] = [[], []];
  child.stderr.on("data", (data: Buffer) => errors.push(String(data)));
  const lines = createInterface({ input: child.stdout }).on("line", (line) => said.push(line));
  const closed = once(lines, "close");
  const ended = once(child, "close").then(async ([, signal]) => {
    await closed;
    return signal as string | null;
  });
  return { process: child, lines, said, errors, ended };
}

/** Asks a reader or compactor to finish, and returns what it has said. */
async function stop(child: Child): Promise<string[]> {
  child.process.stdin?.end();
  const signal = await child.ended;
  const crashed = signal !== null || child.process.exitCode !== 0;
  return crashed ? [...child.said, `fault: a watcher crashed: ${child.errors.join("")}`] : child.said;
}
