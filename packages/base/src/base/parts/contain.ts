/** Calls into a user's file: what they throw is named with the file's own line, and what never ends meets a time-out. */
import { basename } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { EngineError, errorCode } from "../errors.ts";
import type { PartHome } from "./part.ts";

const CALL = Symbol.for("limbeck.contained-call");

/** The only way to stop a loop in this thread: V8 ends a script that runs too long, and the error can be caught. */
const script = new Script(`{ const call = globalThis[Symbol.for("limbeck.contained-call")]; call(); }`);

/** A call that answers at once. `what` names it: "score". */
export function callPart<Result>(home: PartHome, what: string, call: () => Result): Result {
  let result: { readonly value: Result } | undefined;
  const globals = globalThis as { [CALL]?: () => void };
  globals[CALL] = () => {
    result = { value: call() };
  };
  try {
    script.runInThisContext({ timeout: Math.max(1, Math.ceil(home.seconds * 1_000)) });
  } catch (error) {
    throw errorCode(error) === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? timedOut(home, what) : asPartError(home, what, error);
  }
  return (result as { readonly value: Result }).value;
}

/** A call that may answer later. */
export async function awaitPart<Result>(
  home: PartHome,
  what: string,
  call: () => Result | Promise<Result>,
): Promise<Result> {
  return await inTime(home, what, call, (reject) => {
    const timer = setTimeout(() => reject(timedOut(home, what)), home.seconds * 1_000);
    return () => clearTimeout(timer);
  });
}

/** How many calls are open, and a number that moves while the thread is alive: `load-part.ts` looks at both. */
export const callState = new Int32Array(new SharedArrayBuffer(8));

/**
 * The answer, or what `watch` rejects with before it; `watch` gives back how it is ended. A call that was given up stays open:
 * what it has left behind an `await` can still begin a loop.
 */
async function inTime<Result>(
  home: PartHome,
  what: string,
  call: () => Result | Promise<Result>,
  watch: (reject: (error: EngineError) => void) => () => void,
): Promise<Result> {
  let end: (() => void) | undefined;
  let isOver = true;
  Atomics.add(callState, 0, 1);
  try {
    const answer = callPart(home, what, call);
    const late = new Promise<never>((_, reject) => {
      end = watch(reject);
    });
    return await Promise.race([answer, late]);
  } catch (error) {
    const named = asPartError(home, what, error);
    isOver = named.code !== TIMED_OUT;
    // A loop that begins at once takes with it, when it is ended, everything that waits in the same turn.
    if (!isOver) await new Promise((done) => setImmediate(done));
    throw named;
  } finally {
    if (isOver) Atomics.sub(callState, 0, 1);
    end?.();
  }
}

/** What it threw, with the line of its file; an error of the engine has a name already. */
export function asPartError(home: PartHome, what: string, error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const line = lineIn(error, home.file);
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : `threw ${String(error)}`;
  const at = line === undefined ? "" : ` (${basename(home.file)}:${line})`;
  return new EngineError("part-failed", `"${home.file}" failed in ${what}: ${reason}${at}.`, {
    details: { file: home.file, call: what, ...(line === undefined ? {} : { line }) },
    cause: error,
  });
}

/** The first line of that file on the way to the error. */
function lineIn(error: unknown, file: string): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const stack = error.stack ?? "";
  const places = [pathToFileURL(file).href, file].map((name) => stack.indexOf(`${name}:`)).filter((at) => at >= 0);
  const found = /:(\d+)(?::\d+)?/.exec(stack.slice(Math.min(...places)).replace(/^(?:file:\/\/)?[^\n]*?(?=:\d)/, ""));
  return places.length === 0 || found === null ? undefined : Number(found[1]);
}

const TIMED_OUT = "part-timeout";

export function timedOut(home: PartHome, what: string): EngineError {
  return new EngineError(
    TIMED_OUT,
    `"${home.file}" did not end ${what} within ${home.seconds} s. Look for a loop or a wait without end; LIMBECK_PART_SECONDS raises the limit.`,
    { details: { file: home.file, call: what, seconds: home.seconds } },
  );
}

/** A part that answered what its contract does not allow. */
export function badAnswer(home: PartHome, what: string, fault: string): EngineError {
  return new EngineError("bad-part", `"${home.file}" breaks its contract in ${what}: ${fault}.`, {
    details: { file: home.file, call: what },
  });
}

/** How many times the limit of a call nothing at all may happen, in a call that lets the engine work. */
export const IDLE_LIMITS = 20;
/** Below this share of its time the thread is idle: only timers look at the clock. */
const IDLE_SHARE = 0.01;

/**
 * A call that lets the engine work, and so may take as long as that does: it has hung when nothing happens any more. The
 * engine waits for a model or a world no longer than its own limits, which are shorter.
 */
export async function awaitWork<Result>(
  home: PartHome,
  what: string,
  call: () => Result | Promise<Result>,
): Promise<Result> {
  return await inTime(home, what, call, (reject) => {
    let since = performance.eventLoopUtilization();
    const look = (): void => {
      const { utilization } = performance.eventLoopUtilization(since);
      since = performance.eventLoopUtilization();
      if (utilization < IDLE_SHARE) reject(timedOut({ ...home, seconds: home.seconds * IDLE_LIMITS }, what));
    };
    const timer = setInterval(look, home.seconds * IDLE_LIMITS * 1_000);
    return () => clearInterval(timer);
  });
}

/** The same object with some functions in the place of its own. It may be of a class, with private fields. */
export function withOverrides<Part extends object>(part: Part, changes: Partial<Part>): Part {
  return new Proxy(part, {
    get: (target, name) => {
      if (Object.hasOwn(changes, name)) return Reflect.get(changes, name) as unknown;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
