/**
 * A Python process that holds a world: JSON lines to its standard input, JSON lines from its standard output. It is started
 * when it is first asked something, and again after it was lost. It does not keep this process alive while no request waits.
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { EngineError, parseJson } from "../../base/index.ts";
import type { JsonObject } from "../../trajectory/index.ts";
import { cleanText } from "../openenv/text.ts";

const PROGRAM = fileURLToPath(new URL("../../../data/bridge/limbeck_bridge.py", import.meta.url));
/** The end of what it wrote to standard error, for the message when it dies. */
const TOLD_CHARACTERS = 2_000;
const MAX_LINE = 10_000_000;

const AnswerSchema = z.object({
  id: z.number(),
  result: z.record(z.string(), z.json()).optional(),
  error: z.object({ kind: z.string(), message: z.string(), where: z.string() }).optional(),
});

export interface BridgeOptions {
  readonly python: string;
  /** The first message to every new process: the module to load. */
  readonly make: JsonObject;
  /** For one answer. */
  readonly timeoutMs: number;
}

export interface Bridge {
  /** Counts the processes; an episode of an earlier one is lost. */
  readonly generation: number;
  /** What the world says of itself. */
  start(): Promise<JsonObject>;
  ask(request: JsonObject, generation: number): Promise<JsonObject>;
}

interface Waiting {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: EngineError) => void;
}

interface Process {
  readonly child: ChildProcessWithoutNullStreams;
  readonly waiting: Map<number, Waiting>;
  readonly made: Promise<JsonObject>;
}

export function createBridge({ python, make, timeoutMs }: BridgeOptions): Bridge {
  let current: Process | undefined;
  let generation = 0;
  let last = 0;

  const send = async (process: Process, request: JsonObject): Promise<JsonObject> => {
    const { child, waiting } = process;
    last += 1;
    const id = last;
    let timer: NodeJS.Timeout | undefined;
    setAlive(child, true);
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        timer = setTimeout(() => {
          reject(
            new EngineError(
              "timeout",
              `The Python world gave no answer within ${timeoutMs} ms; raise timeoutMs to wait longer.`,
            ),
          );
          // Whatever it does, it does not listen any more: the next episode gets a new process.
          if (current?.child === child) current = undefined;
          child.kill("SIGKILL");
        }, timeoutMs);
        child.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
      });
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
      if (waiting.size === 0) setAlive(child, false);
    }
  };

  const begin = (): Process => {
    generation += 1;
    const child = spawn(python, ["-u", PROGRAM], { stdio: ["pipe", "pipe", "pipe"] });
    const waiting = new Map<number, Waiting>();
    let told = "";
    const over = (error: EngineError): void => {
      if (current?.child === child) current = undefined;
      for (const one of waiting.values()) one.reject(error);
    };
    child.on("error", (cause) => over(notStarted(python, cause)));
    child.on("close", (code, signal) => over(died(code ?? signal ?? "unknown", told)));
    // A process that is gone cannot be written to; its end is reported above.
    child.stdin.on("error", () => undefined);
    child.stderr.on("data", (text: Buffer) => {
      told = `${told}${text.toString("utf8")}`.slice(-TOLD_CHARACTERS);
    });
    createInterface({ input: child.stdout }).on("line", (line) => receive(line, waiting, child));
    const process: Process = { child, waiting, made: Promise.resolve({}) };
    const made = send(process, { do: "make", ...make });
    // A request that waits gets the error; without one a process may fail in silence.
    made.catch(() => undefined);
    return { ...process, made };
  };

  return {
    get generation() {
      return generation;
    },
    start: async () => {
      current ??= begin();
      return await current.made;
    },
    ask: async (request, of) => {
      if (current === undefined || of !== generation) throw died("unknown", "");
      return await send(current, request);
    },
  };
}

function receive(line: string, waiting: ReadonlyMap<number, Waiting>, child: ChildProcessWithoutNullStreams): void {
  const parsed = line.length > MAX_LINE ? undefined : AnswerSchema.safeParse(parseJson(line)).data;
  if (parsed === undefined) {
    child.kill("SIGKILL");
    return;
  }
  const { id, result, error } = parsed;
  if (error === undefined) waiting.get(id)?.resolve(result ?? {});
  else waiting.get(id)?.reject(raised(error));
}

function raised({ kind, message, where }: { kind: string; message: string; where: string }): EngineError {
  const place = where === "" ? "" : ` (${cleanText(where, 300)})`;
  return new EngineError(
    "env-lost",
    `The Python world raised ${cleanText(kind, 80)}: ${cleanText(message, 1_000)}${place}`,
  );
}

function died(code: number | string, told: string): EngineError {
  const said = told.trim() === "" ? "" : ` It said last: ${cleanText(told.trim().slice(-500), 500)}`;
  return new EngineError("server-lost", `The Python process of the world is gone (${code}).${said}`);
}

function notStarted(python: string, cause: Error): EngineError {
  return new EngineError(
    "bad-options",
    `"${python}" does not start (${cause.message}). Install Python 3.9 or newer, or name another with python=PROGRAM.`,
    { cause },
  );
}

/** While a request waits for an answer the process must not end; otherwise it may. */
function setAlive(child: ChildProcessWithoutNullStreams, alive: boolean): void {
  for (const held of [child, child.stdin, child.stdout, child.stderr] as unknown as Pick<Socket, "ref" | "unref">[]) {
    if (alive) held.ref();
    else held.unref();
  }
}
