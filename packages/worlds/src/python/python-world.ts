/** A world written in Python: Gymnasium's reset and step, or a verifiers environment, behind a bridge of ours. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { EngineError, isAbort, throwIfAborted } from "limbeck-base/base/errors";
import { parseJson, type JsonObject } from "limbeck-base/base/json";
import type { Score, Task } from "limbeck-base/trajectory/trajectory";
import { scored, scoreValue } from "limbeck-base/trajectory/score";
import type { Env, Episode } from "limbeck-core/env/env";
import { episodeOf, lostState, openState, PLAIN_RULES, type PlainState } from "limbeck-core/env/episode-of";
import { cleanText } from "../openenv/text.ts";
import { numberedTasks } from "limbeck-core/env/task-file";
import { digest } from "../tools/canonical.ts";

export interface PythonWorldOptions {
  /** A name that Python can import, or the path of a file. */
  readonly module: string;
  /** What makes a world. Default: make, make_env, load_environment, Env or World, whichever there is. */
  readonly entry?: string;
  readonly arguments?: JsonObject;
  /** Default: python3. */
  readonly python?: string;
  readonly goal?: string;
  /** Tasks of each split, where the world has no list of its own. Default: without end. */
  readonly tasks?: number;
  readonly maxSteps?: number;
  /** An ended episode with at least this reward is a success, where the world does not say. */
  readonly successAt?: number;
  /** Whether the same seed and actions give the same answers; only then can an episode be copied. */
  readonly replayable?: boolean;
  readonly timeoutMs?: number;
}

/** Splits differ in their seeds, so that what is learnt on one can be tried on another. */
const FIRST_SEED: Readonly<Record<string, number>> = { train: 0, valid: 1_000_000_000, test: 1_500_000_000 };
const MAX_STEPS = 100;
const GOAL = "Do what the text asks for.";

const admissible = z.array(z.string()).nullish();
const MadeSchema = z.object({ splits: z.record(z.string(), z.number()).nullish() });
const OpenedSchema = z.object({ observation: z.string(), admissible });
const SteppedSchema = z.union([
  z.object({
    valid: z.boolean(),
    observation: z.string(),
    admissible,
    reward: z.number(),
    terminated: z.boolean(),
    truncated: z.boolean(),
    success: z.boolean().nullish(),
  }),
  z.object({ valid: z.literal(false) }),
]);

export async function createPythonWorld(options: PythonWorldOptions): Promise<Env> {
  const { module, entry = null, arguments: args = {}, python = "python3", timeoutMs = 60_000 } = options;
  const { goal = GOAL, tasks = Number.POSITIVE_INFINITY, maxSteps = MAX_STEPS } = options;
  const bridge = createBridge({ python, make: { module, entry, arguments: args }, timeoutMs });
  const own = read(MadeSchema, await bridge.start()).splits ?? undefined;
  const splits = own ?? Object.fromEntries(Object.keys(FIRST_SEED).map((split) => [split, tasks]));
  const label = module.replaceAll(/[^\w-]+/g, "-");
  return {
    id: "python",
    summary: `The Python world ${cleanText(module, 200)}.`,
    maxSteps,
    splits,
    tasks: (split, range) => {
      const first = own === undefined ? (FIRST_SEED[split] ?? 0) : 0;
      return numberedTasks("python", splits, split, range, (index) => ({
        id: `${label}-${split}-${index}`,
        env: "python",
        seed: first + index,
        goal,
        split,
      }));
    },
    open: async (task, { signal } = {}) => {
      throwIfAborted(signal);
      await bridge.start();
      const place = { ...options, bridge, task, maxSteps, replayable: options.replayable ?? true };
      return openEpisode(place, await begin(place));
    },
  };
}

interface EpisodeSetup {
  readonly bridge: Bridge;
  readonly task: Task;
  readonly maxSteps: number;
  readonly replayable: boolean;
  readonly successAt?: number;
}

interface State extends PlainState {
  /** Its name in the process, and which process that is. */
  readonly episode: string;
  readonly generation: number;
  readonly actions: readonly string[];
  readonly admissible: readonly string[] | undefined;
}

let opened = 0;

async function begin({ bridge, task }: EpisodeSetup): Promise<State> {
  opened += 1;
  const episode = `episode-${opened}`;
  const { generation } = bridge;
  const request = { do: "open", episode, seed: task.seed, split: task.split ?? "train" };
  const { observation, admissible: listed } = read(OpenedSchema, await bridge.ask(request, generation));
  return {
    episode,
    generation,
    actions: [],
    ...openState(cleanText(observation)),
    admissible: listed ?? undefined,
  };
}

interface Moved {
  readonly state: State;
  readonly valid: boolean;
  readonly reward: Score;
}

async function move({ bridge, maxSteps, successAt }: EpisodeSetup, state: State, action: string): Promise<Moved> {
  const { episode, generation } = state;
  const answer = read(SteppedSchema, await bridge.ask({ do: "step", episode, action }, generation));
  const actions = [...state.actions, action];
  const late = actions.length >= maxSteps;
  if (!("observation" in answer)) {
    const ended = late ? ({ ending: "truncated", success: false } as const) : {};
    return { state: { ...state, actions, ...ended }, valid: false, reward: scored(0) };
  }
  const total = (scoreValue(state.reward) ?? 0) + answer.reward;
  const ending = answer.terminated ? "terminated" : answer.truncated || late ? "truncated" : undefined;
  const judged = answer.success ?? (successAt === undefined ? null : total >= successAt);
  return {
    state: {
      ...state,
      actions,
      observation: cleanText(answer.observation),
      admissible: answer.admissible ?? undefined,
      ending,
      reward: scored(total),
      success: ending === undefined ? null : judged,
    },
    valid: answer.valid,
    reward: scored(answer.reward),
  };
}

function openEpisode(place: EpisodeSetup, start: State): Episode {
  const { bridge, task } = place;
  return episodeOf<State>(task, start, {
    ...PLAIN_RULES,
    stateKey: ({ observation, admissible: listed = [] }) => digest(`${observation}\n${listed.join("\n")}`),
    admissible: ({ ending, admissible: listed }) => (ending === undefined || listed === undefined ? listed : []),
    step: async (state, action) => {
      try {
        return await move(place, state, action);
      } catch (error) {
        if (isAbort(error)) throw error;
        return lost(state, error);
      }
    },
    fork: (state) => replay(place, state),
    close: async ({ episode, generation }) => {
      // The episode is over; a process that is gone has closed it too.
      await bridge.ask({ do: "close", episode }, generation).catch(() => undefined);
    },
  });
}

/** A copy is a new episode with the same actions; every text is compared on the way. */
async function replay(place: EpisodeSetup, state: State): Promise<State> {
  const { task, replayable, bridge } = place;
  if (!replayable) {
    throw new EngineError(
      "cannot-fork",
      `Task "${task.id}" runs in a Python world that was said not to be replayable. If the same seed and actions give the same answers, leave replayable=false out.`,
      { details: { task: task.id } },
    );
  }
  let copy = await begin(place);
  for (const action of state.actions) copy = (await move(place, copy, action)).state;
  const facts = ({ observation, admissible: listed, ending, reward }: State): string =>
    JSON.stringify([observation, listed ?? null, ending ?? null, scoreValue(reward) ?? null]);
  if (facts(copy) === facts(state)) return copy;
  // The copy is given up; the error below says why it does not fit.
  await bridge.ask({ do: "close", episode: copy.episode }, copy.generation).catch(() => undefined);
  throw new EngineError(
    "fork-diverged",
    `The ${state.actions.length} actions of task "${task.id}" led elsewhere when they were repeated, so the world does not follow from its seed. Draw chance from the seed of reset(), or set replayable=false.`,
    { details: { task: task.id } },
  );
}

function lost(state: State, error: unknown): Moved {
  const ended = lostState(error, "The world stopped working.");
  return { state: { ...state, ...ended }, valid: true, reward: ended.reward };
}

function read<S extends z.ZodType>(schema: S, value: JsonObject): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new EngineError(
    "bad-answer",
    `The Python world gave an answer of another shape: ${z.prettifyError(parsed.error)}`,
  );
}

/*
 * A Python process that holds a world: JSON lines to its standard input, JSON lines from its standard output. It is started
 * when it is first asked something, and again after it was lost. It does not keep this process alive while no request waits.
 */

const PROGRAM = fileURLToPath(new URL("../../data/bridge/limbeck_bridge.py", import.meta.url));
/** The end of what it wrote to standard error, for the message when it dies. */
const TOLD_CHARACTERS = 2_000;
const MAX_LINE = 10_000_000;

const AnswerSchema = z.object({
  id: z.number(),
  result: z.record(z.string(), z.json()).optional(),
  error: z.object({ kind: z.string(), message: z.string(), where: z.string() }).optional(),
});

interface BridgeOptions {
  readonly python: string;
  /** The first message to every new process: the module to load. */
  readonly make: JsonObject;
  /** For one answer. */
  readonly timeoutMs: number;
}

interface Bridge {
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

function createBridge({ python, make, timeoutMs }: BridgeOptions): Bridge {
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
