/** A user's file as a part: its default export, made by the same `define…` function as a built-in one. */
import * as nodeModule from "node:module";
import * as hooks from "./module-hooks.ts";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { EngineError, errorCode } from "../errors.ts";
import { asPartError, timedOut, callState, IDLE_LIMITS } from "./contain.ts";
import {
  keepFile,
  keepPart,
  kindOfValue,
  loadedPart,
  type loadedParts,
  partKindOf,
  splitName,
  type PartHome,
} from "./part.ts";
import { isMainThread, Worker } from "node:worker_threads";

export interface LoadPartOptions {
  /** What it must be: "environment", "reward", "credit method", … Default: any. */
  readonly kind?: string;
  /** Where a relative path begins. Default: the folder of the process. */
  readonly cwd?: string;
  /** Seconds that loading, and each call of it later, may take. Default: LIMBECK_PART_SECONDS, or 30. */
  readonly seconds?: number;
}

export interface LoadedPart {
  readonly kind: string;
  readonly part: object;
  /** How every look-up finds it from now on: path and content hash. */
  readonly name: string;
  readonly file: string;
}

const PART_SECONDS = 30;

/**
 * Loads a file and gives its default export, held to the contract of its kind.
 *
 * @example
 * // A file that is there gives its part, the kind of it and the name by which look-ups find it.
 * await loadPart("./no-such-world.ts").catch((error) => console.log(error.code)); // file-missing
 */
export async function loadPart(path: string, options: LoadPartOptions = {}): Promise<LoadedPart> {
  const wanted = splitName(path);
  const given = wanted.file.startsWith("file:") ? fileURLToPath(wanted.file) : wanted.file;
  const file = resolve(options.cwd ?? ".", given);
  const name = `${file}#${contentHash(file)}`;
  const home: PartHome = { file, name, seconds: options.seconds ?? partSeconds() };
  const module = await imported(home);
  const made = "default" in module ? module.default : undefined;
  const kind = partKindOf(made);
  if (kind === undefined) throw notAPart(home, module);
  if (options.kind !== undefined && kind.kind !== options.kind) {
    throw new EngineError(
      "bad-part",
      `"${file}" holds the wrong kind of part: wanted here: ${options.kind}; found: ${kind.kind} (its default export is made by ${kind.maker}). Give another file, or give this one where a name of that kind is taken.`,
      { details: { file, found: kind.kind, wanted: options.kind } },
    );
  }
  watchCalls(home.seconds);
  keepPart(kind.kind, kind.guard(made as object, home), home);
  // A name with another hash is refused here, with both named.
  const part = loadedPart(wanted.hash === undefined ? name : `${file}#${wanted.hash}`, kind.kind);
  return { kind: kind.kind, part, name, file };
}

/**
 * Loads the same parts again in a thread or a process that this one starts, and refuses where a file has changed since.
 */
export async function loadParts(given: ReturnType<typeof loadedParts>): Promise<void> {
  for (const { kind, name } of given) await loadPart(name, { kind });
}

async function imported(home: PartHome): Promise<Readonly<Record<string, unknown>>> {
  registerHooks();
  keepFile(home.file);
  await openDoors(home.file);
  const watch = await watchMainThread(home);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut(home, "loading")), home.seconds * 1_000);
  });
  try {
    const importing = import(/* @vite-ignore */ pathToFileURL(home.file).href) as Promise<Record<string, unknown>>;
    return await Promise.race([importing, late]);
  } catch (error) {
    if (errorCode(error) === "part-timeout") throw error;
    const bad = error instanceof EngineError && errorCode(error) === "bad-part";
    if (bad) throw new EngineError("bad-part", `"${home.file}": ${error.message}`, { cause: error });
    throw asPartError(home, "loading", error);
  } finally {
    clearTimeout(timer);
    await watch.end();
  }
}

/** The engine's own rooms are loaded before the clock starts. */
async function openDoors(file: string): Promise<void> {
  const text = [...ownTexts(file).values()].join("\n");
  for (const [, specifier = ""] of text.matchAll(/["'](limbeck(?:\/[\w/-]+)?)["']/g)) {
    const door = hooks.doorOf(specifier);
    if (door !== undefined) await import(/* @vite-ignore */ door);
  }
}

function notAPart({ file }: PartHome, module: Readonly<Record<string, unknown>>): EngineError {
  if (isPlainWorld(module["default"])) {
    return new EngineError(
      "bad-part",
      `"${file}" is not a part: its default export is a world that no define function made. Call it "env" and write: import { defineWorld } from "limbeck"; export default defineWorld({ id: "mine", info: { title: "Mine", meaning: "What it is." }, options: {}, create: () => env });`,
      { details: { file } },
    );
  }
  const names = Object.keys(module).filter((name) => name !== "default");
  const found =
    "default" in module
      ? `its default export is ${kindOfValue(module["default"])} that no define function made`
      : `it has no default export${names.length === 0 ? "" : `, only ${names.slice(0, 8).join(", ")}`}`;
  return new EngineError(
    "bad-part",
    `"${file}" is not a part: ${found}. Write "export default defineWorld({ … })", or defineReward, defineRecipe, defineCredit, defineObjective, defineStrategy or defineSearch of "limbeck", or defineAgent of "limbeck/search".`,
    { details: { file } },
  );
}

/** What `Env` asks for, as far as it can be seen from here. */
function isPlainWorld(made: unknown): boolean {
  if (typeof made !== "object" || made === null) return false;
  const { open, tasks } = made as Readonly<Record<string, unknown>>;
  return typeof open === "function" && typeof tasks === "function";
}

function contentHash(file: string): string {
  const hash = createHash("sha256");
  for (const text of ownTexts(file).values()) hash.update(`${text.length} ${text}`);
  return hash.digest("hex").slice(0, 16);
}

/** Of the file and of the files that it imports by a relative path, and they. */
function ownTexts(file: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const waiting = [file];
  for (const path of waiting) {
    if (texts.has(path)) continue;
    const text = textOf(path, path === file);
    if (text === undefined) continue;
    texts.set(path, text);
    for (const [, specifier = ""] of text.matchAll(/(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/g)) {
      const near = resolve(dirname(path), specifier);
      waiting.push(near, near.replace(/js$/, "ts"));
    }
  }
  return texts;
}

function textOf(path: string, isGiven: boolean): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (!isGiven) return undefined;
    const code = errorCode(cause);
    if (code === "ENOENT") throw new EngineError("file-missing", `There is no file "${path}".`, { cause });
    throw new EngineError("file-unreadable", `Cannot read "${path}" (${code ?? "unknown"}).`, { cause });
  }
}

function partSeconds(): number {
  const given = process.env["LIMBECK_PART_SECONDS"];
  if (given === undefined || given === "") return PART_SECONDS;
  const seconds = Number(given);
  if (seconds > 0 && seconds <= 86_400) return seconds;
  throw new EngineError("usage", `LIMBECK_PART_SECONDS is "${given}"; it must be a number above 0 and at most 86400.`);
}

let areRegistered = false;

function registerHooks(): void {
  if (areRegistered) return;
  areRegistered = true;
  const node = nodeModule as typeof nodeModule & { readonly registerHooks?: (given: typeof hooks) => void };
  if (node.registerHooks !== undefined) {
    node.registerHooks(hooks);
    return;
  }
  try {
    node.register(
      new URL(import.meta.url.endsWith(".ts") ? "./module-hooks.ts" : "./module-hooks.js", import.meta.url),
    );
  } catch (error) {
    // Sources in a test runner on Node 20: its own loader reads TypeScript and knows the doors of the package.
    if (errorCode(error) !== "ERR_UNKNOWN_FILE_EXTENSION") throw error;
  }
}

// A loop without end blocks its thread, and with it every timer. While a file is loaded another thread looks on:
// when the time is up and it was not called off, it ends what runs there. The import never settles; a timer then
// says why.

/** The program of the thread, as text, because a thread of sources would need a compiler. */
const PROGRAM = `
const { Session } = require("node:inspector");
const { parentPort, workerData } = require("node:worker_threads");
const session = new Session();
session.connectToMainThread();
setTimeout(() => session.post("Runtime.terminateExecution"), workerData.ms);
parentPort.postMessage("ready");
`;

/** The timer of the main thread comes first, where it can. */
const GRACE_MS = 300;

/** `end` waits until the thread is gone: one that still watches would hold up the end of the process. */
async function watchMainThread(home: PartHome): Promise<{ end(): Promise<unknown> }> {
  if (!isMainThread) return { end: () => Promise.resolve() };
  const thread = startWatching(PROGRAM, { ms: home.seconds * 1_000 + GRACE_MS });
  await new Promise<void>((done) => {
    thread.once("message", () => done()).once("error", () => done());
  });
  return { end: () => thread.terminate() };
}

/** Without an inspector (a Node built without one) a loop is not ended; everything else is as it was. */
function startWatching(program: string, workerData: object): Worker {
  const thread = new Worker(program, { eval: true, workerData, execArgv: [] });
  thread.unref();
  // See above: nothing is lost with it.
  return thread.on("error", () => undefined);
}

/*
 * A loop that begins after an `await` in a call of a file blocks the thread as well. When the main thread has done nothing
 * else for long, while such a call was open, what runs there is ended. The call never settles; its own timer says why.
 */
const POLLS = 20;
const BEAT_MS = 200;

/**
 * Looks are counted, not seconds: a machine that slept has not stood still. It connects when it has to: a process that ends
 * with a session open says that it waits for a debugger.
 */
const CALLS_PROGRAM = `
const { Session } = require("node:inspector");
const { workerData: { state, polls, pollMs } } = require("node:worker_threads");
let [last, same] = [-1, 0];
setInterval(() => {
  const beat = Atomics.load(state, 1);
  same = Atomics.load(state, 0) > 0 && beat === last ? same + 1 : 0;
  last = beat;
  if (same < polls) return;
  same = 0;
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.terminateExecution", () => session.disconnect());
}, pollMs);
`;

let isWatched = false;

/**
 * Begins to look on, once; it holds up nothing. The thread may stand still for as long as nothing may happen in a call that
 * lets the engine work: far longer than the engine itself ever takes. Only the main thread can be watched so.
 */
export function watchCalls(seconds: number): void {
  if (isWatched || !isMainThread) return;
  isWatched = true;
  const pollMs = Math.max(BEAT_MS, (seconds * IDLE_LIMITS * 1_000) / POLLS);
  startWatching(CALLS_PROGRAM, { state: callState, polls: POLLS, pollMs });
  setInterval(() => Atomics.add(callState, 1, 1), BEAT_MS / 2).unref();
}
