/**
 * One writer of a run at a time. The writer stands in a file of the run, `writer.lock`: the process and the machine. What a dead
 * process left is taken over at once; where its life cannot be checked, on another machine, after a minute without a sign
 * of life. The lock decides which process may begin; that no other process has written meanwhile is held by the commit log (`commit-log.ts`).
 */
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { boundedJson } from "limbeck-base/base/json";
import { fateOf, thisProcess } from "limbeck-base/base/process-identity";
import type { Files, Looked } from "./files.ts";

/** In the folder of a run. */
export const LOCK_FILE = "writer.lock";

/** A holder that cannot be looked at gives a sign of life every so often, and is given up after so long without one. */
const SIGN_EVERY_MS = 10_000;
const SILENCE_MS = 60_000;
/** Several that find a lock free at once take turns. */
const TRIES = 400;

const HolderSchema = z.object({
  pid: z.number().int().positive(),
  host: z.string(),
  space: z.string().nullable(),
  started: z.string().nullable(),
  since: z.string(),
  /** The name of the writer, which its segments and commits have too. */
  writer: z.string(),
  signs: z.number().int().nonnegative(),
});

type Holder = z.output<typeof HolderSchema>;

export interface RunLock {
  /** Whether another process held it, and died or fell silent. */
  readonly takenOver: boolean;
  /** Fails when the lock is another's by now. */
  check(): Promise<void>;
  release(): Promise<void>;
}

export async function lockRun(files: Files, run: string, writer: string, now: () => Date): Promise<RunLock> {
  const path = `${run}/${LOCK_FILE}`;
  const holder = { ...thisProcess(), since: now().toISOString(), writer };
  const bytes = textOf({ ...holder, signs: 0 });
  let takenOver = false;
  let version: string | undefined;
  for (let tried = 1; version === undefined; tried += 1) {
    if (await files.putIfAbsent(path, bytes)) {
      const own = await files.look(path);
      if (own?.text === bytes.toString()) version = own.version;
      continue;
    }
    const found = await files.look(path);
    if (found === undefined) continue;
    if (!isFree(found) || tried > TRIES) throw runBusy(files, run, found);
    version = await files.exchange(path, bytes, found.version);
    takenOver = version !== undefined;
    if (version === undefined) await pause(Math.random() * 10);
  }
  let held: string | undefined = version;
  let signs = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    turn = turn.then(async () => {
      if (held === undefined) return;
      signs += 1;
      // A place that cannot be reached for a moment is asked again with the next sign; a commit says what became of it.
      held = await files.exchange(path, textOf({ ...holder, signs }), held).catch(() => held);
    });
  }, SIGN_EVERY_MS);
  timer.unref();
  const mine = async (): Promise<Looked | undefined> => {
    await turn;
    const found = await files.look(path);
    return found !== undefined && holderOf(found)?.writer === writer ? found : undefined;
  };
  return {
    takenOver,
    check: async () => {
      if ((await mine()) === undefined) throw runBusy(files, run, await files.look(path));
    },
    release: async () => {
      clearInterval(timer);
      if ((await mine()) !== undefined) await files.remove(path);
      held = undefined;
    },
  };
}

/** The name of the writer that holds the run, where one does that may be alive. */
export async function writerOf(files: Files, run: string): Promise<string | undefined> {
  const found = await files.look(`${run}/${LOCK_FILE}`);
  return found === undefined || isFree(found) ? undefined : holderOf(found)?.writer;
}

/** What cannot be read is free when it has been so for a while: half a file of a place that shows such. */
function isFree(found: Looked): boolean {
  const holder = holderOf(found);
  const fate = holder === undefined ? "elsewhere" : fateOf(holder);
  return fate === "gone" || (fate === "elsewhere" && found.ageMs > SILENCE_MS);
}

function holderOf({ text }: Looked): Holder | undefined {
  try {
    return HolderSchema.safeParse(boundedJson(text)).data;
  } catch {
    // What is no JSON names no holder.
    return undefined;
  }
}

function textOf(holder: Holder): Buffer {
  return Buffer.from(`${JSON.stringify(holder)}\n`);
}

/** The run is another's. */
export function runBusy(files: Files, run: string, found: Looked | undefined): EngineError {
  const holder = found === undefined ? undefined : holderOf(found);
  const place = JSON.stringify(files.address(""));
  if (holder === undefined) {
    return new EngineError(
      "run-busy",
      `Run "${run}" in ${place} was taken over by another process, so nothing more is stored here. Look at what it holds, and go on with --resume.`,
      { details: { run } },
    );
  }
  const { pid, host, since } = holder;
  const isOwn = fateOf(holder) === "alive" && pid === process.pid;
  const wayOut = isOwn
    ? "Close its first writer before it is opened again."
    : fateOf(holder) === "elsewhere"
      ? `Wait until it ends, or stop it. If that machine is gone, the run is free ${SILENCE_MS / 1000} seconds after its last sign of life.`
      : "Wait until it ends, or stop it, and try again.";
  return new EngineError(
    "run-busy",
    `Run "${run}" in ${place} is being written by process ${pid}${isOwn ? " (this one)" : ""} on ${JSON.stringify(host)} since ${since}, and a run has one writer at a time. ${wayOut}`,
    { details: { run, pid, host, since } },
  );
}
