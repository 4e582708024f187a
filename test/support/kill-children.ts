/** The processes of the kill test: bundled once, started often. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { sourceFolders } from "../../scripts/layout.ts";
import { builtOnce } from "./built-once.ts";

export type Program = (typeof PROGRAMS)[number];
export type Start = (program: Program, args: readonly string[]) => Child;

const PROGRAMS = ["kill-writer", "kill-reader", "kill-compactor"] as const;

/**
 * One file for each program: a killed writer lives for a moment only, and loading it as many TypeScript files would be
 * three quarters of its life. Inside the project, because what stays outside the bundle is looked up from there.
 */
export async function bundlePrograms(): Promise<string> {
  return await builtOnce("kill-store", [...sourceFolders, "test/support"], (making) =>
    build({
      entryPoints: PROGRAMS.map((program) => join(import.meta.dirname, `${program}.ts`)),
      outdir: making,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      platform: "node",
      format: "esm",
      external: ["parquet-wasm", "@duckdb/node-api"],
      logLevel: "silent",
    }),
  );
}

export interface Child {
  readonly process: ChildProcess;
  readonly lines: ReturnType<typeof createInterface>;
  readonly said: string[];
  readonly errors: string[];
  /** The signal that ended it, after the last of its output. */
  readonly ended: Promise<string | null>;
}

export function startChild(file: string, args: readonly string[]): Child {
  // The first that lives to its end leaves its compiled code to the others.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(dirname(file), "compiled") };
  const child = spawn(process.execPath, [file, ...args], { stdio: ["pipe", "pipe", "pipe"], env });
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
export async function stop(child: Child): Promise<string[]> {
  child.process.stdin?.end();
  const signal = await child.ended;
  const crashed = signal !== null || child.process.exitCode !== 0;
  return crashed ? [...child.said, `fault: a watcher crashed: ${child.errors.join("")}`] : child.said;
}
