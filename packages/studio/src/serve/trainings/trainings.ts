/**
 * Trainings that are started from the page, each in a process of its own: the command line, as a person would type it.
 * What they write is a run like any other; the page follows it as it follows every run.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { bundledNames } from "limbeck-policy/policy/local/bundled-model";
import { newRunFolder } from "limbeck-training/training/parts";
import type { TrainingItem, TrainingOrder, Trainings as Answer } from "../api/trainings.ts";

interface TrainingsOptions {
  /** The folder of runs. */
  readonly root: string;
  /** What Node is started with to run the command line; undefined where none may be started. */
  readonly program: readonly string[] | undefined;
  readonly now: () => Date;
}

export interface Trainings {
  read(): Answer;
  start(order: TrainingOrder): Promise<TrainingItem>;
  /** As Ctrl-C does: what is committed is kept. */
  stop(run: string): TrainingItem;
  /** Whether a run was trained by this server and its process has ended. */
  isOver(run: string): boolean;
  /** Stops all, and waits for them. */
  close(): Promise<void>;
}

/** Those that need nothing but a world and its bundled model. */
const RECIPES = [
  ["opid", "skills from hindsight, taught back word by word"],
  ["grpo", "each episode against the mean of its group"],
  ["gigpo", "the same, and each step against others from the same state"],
  ["rloo", "each episode against the mean of the others"],
] as const;

const START: TrainingOrder = {
  world: "household",
  recipe: "opid",
  updates: 10,
  seed: 1,
  tasks: 8,
  episodes: 8,
  heldOut: 48,
};
const REFUSED = "Start the studio with --train, on this machine, to train from the page.";
/** Two would share the cores and end no sooner. */
const AT_ONCE = 1;
const KEPT = 20;
/** For so long a process that was asked to stop may finish what it writes. */
const GRACE_MS = 10_000;

interface Held {
  readonly order: TrainingOrder;
  readonly run: string;
  readonly child: ChildProcess;
  readonly startedAt: string;
  readonly words: readonly string[];
  readonly ended: Promise<void>;
  progress: TrainingProgress;
  stopping: boolean;
  endedAt: string | undefined;
  code: number | undefined;
  /** The end of its error stream. */
  output: string;
}

export function createTrainings({ root, program, now }: TrainingsOptions): Trainings {
  const held = new Map<string, Held>();
  const live = (): Held[] => [...held.values()].filter(({ endedAt }) => endedAt === undefined);
  let starting = 0;
  const start = async (order: TrainingOrder): Promise<TrainingItem> => {
    if (program === undefined) throw new EngineError("not-writable", REFUSED);
    check(order);
    if (live().length + starting >= AT_ONCE) {
      const [one] = live();
      throw new EngineError(
        "too-many",
        `A training is at work${one === undefined ? "" : ` (${one.run})`}: stop it, or wait for its end.`,
      );
    }
    starting += 1;
    try {
      const folder = await newRunFolder(root, order.recipe, now().getTime());
      const begun = begin(program, order, folder, now);
      held.set(begun.run, begun);
      for (const old of [...held.keys()].slice(0, -KEPT)) held.delete(old);
      return itemOf(begun);
    } finally {
      starting -= 1;
    }
  };
  const stop = (run: string): TrainingItem => {
    const one = held.get(run);
    if (one === undefined) {
      throw new EngineError("no-run", `Run "${run}" is no training of this page. Stop it where it was started.`);
    }
    halt(one);
    return itemOf(one);
  };
  return {
    read: () => ({
      refused: program === undefined ? REFUSED : null,
      worlds: [...bundledNames],
      recipes: RECIPES.map(([id, meaning]) => ({ id, meaning })),
      start: START,
      trainings: [...held.values()].reverse().map(itemOf),
    }),
    start,
    stop,
    isOver: (run) => held.get(run)?.endedAt !== undefined,
    close: async () => {
      const all = live();
      for (const one of all) halt(one);
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

function check({ world, recipe }: TrainingOrder): void {
  const known = (what: string, given: string, names: readonly string[]): void => {
    if (names.includes(given)) return;
    throw new EngineError(
      "bad-request",
      `There is no ${what} "${given}" to train from the page. Known: ${names.join(", ")}.`,
    );
  };
  known("world", world, bundledNames);
  known(
    "recipe",
    recipe,
    RECIPES.map(([id]) => id),
  );
}

/** As they are typed; every word is a name of ours or a number. */
function wordsOf({ world, recipe, updates, seed, tasks, episodes, heldOut }: TrainingOrder): string[] {
  const validated = Math.max(2, Math.round(heldOut / 2));
  const numbers = { steps: updates, seed, "report-tasks": heldOut, "validation-tasks": validated };
  return [
    "train",
    "--recipe",
    recipe,
    "--env",
    world,
    ...Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]),
    "--set",
    `tasks=${tasks}`,
    "--set",
    `group=${episodes}`,
  ];
}

function begin(program: readonly string[], order: TrainingOrder, folder: string, now: () => Date): Held {
  const words = wordsOf(order);
  const child = spawn(process.execPath, [...program, ...words, "--dir", folder, "--json"], {
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const one: Held = {
    order,
    run: basename(folder),
    child,
    startedAt: now().toISOString(),
    words,
    ended,
    progress: { phase: "Opening model and world", done: 0, isRunning: false, isFinished: false },
    stopping: false,
    endedAt: undefined,
    code: undefined,
    output: "",
  };
  const over = (code: number | null, why = ""): void => {
    if (one.endedAt !== undefined) return;
    one.output += why;
    one.code = code ?? 1;
    one.endedAt = now().toISOString();
    end();
  };
  followOutput(
    child,
    (change) => (one.progress = change(one.progress)),
    (text) => (one.output = `${one.output}${text}`.slice(-4_000)),
  );
  child.once("error", (error) => over(1, error.message));
  child.once("close", (code) => over(code));
  return one;
}

function halt(one: Held): void {
  if (one.endedAt !== undefined || one.stopping) return;
  one.stopping = true;
  one.child.kill("SIGINT");
  const timer = setTimeout(() => one.child.kill("SIGKILL"), GRACE_MS);
  timer.unref();
  void one.ended.then(() => clearTimeout(timer));
}

function itemOf(one: Held): TrainingItem {
  const { order, run, progress, startedAt, endedAt = null, words, output } = one;
  const state = stateOf(one);
  return {
    ...order,
    run,
    state,
    phase: endedAt === null ? progress.phase : "",
    done: progress.done,
    startedAt,
    endedAt,
    problem: state === "failed" ? output.trim().split("\n").slice(-8).join("\n") || "It ended without a word." : null,
    command: `limbeck ${words.join(" ")}`,
  };
}

function stateOf({ endedAt, stopping, progress, code }: Held): TrainingItem["state"] {
  if (endedAt === undefined) return stopping ? "stopping" : progress.isRunning ? "running" : "starting";
  // One that was asked to stop in its last moment has finished all the same.
  if (progress.isFinished && code === 0) return "finished";
  return stopping ? "stopped" : "failed";
}

// What a training says while it goes on (`limbeck train --json`), as one line for the page.

export interface TrainingProgress {
  /** What it is doing, in words. */
  readonly phase: string;
  /** Updates done. */
  readonly done: number;
  readonly isRunning: boolean;
  readonly isFinished: boolean;
}

const line = z.object({
  event: z.string().optional(),
  update: z.number().optional(),
  from: z.number().optional(),
  updates: z.number().optional(),
  reason: z.string().optional(),
});

/** What is known after a line; lines that are no JSON of ours change nothing. */
export function afterLine(progress: TrainingProgress, text: string): TrainingProgress {
  const { event, update = progress.done, from = 0, updates, reason } = readLine(text);
  if (event === "start") {
    const phase = from > 0 ? `Update ${from + 1}` : "Playing the held-out tasks, before";
    return { ...progress, phase, done: from, isRunning: true };
  }
  if (event === "before") return { ...progress, phase: "Update 1" };
  if (event === "update") {
    const phase = update === updates ? "Playing the held-out tasks, after" : `Update ${update + 1}`;
    return { ...progress, phase, done: update };
  }
  if (event === "after") return { ...progress, phase: "Writing the end" };
  return event === undefined && reason !== undefined ? { ...progress, isFinished: true } : progress;
}

function readLine(text: string): z.infer<typeof line> {
  try {
    return line.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

/** Listens to both streams of the process until it ends. */
function followOutput(
  child: ChildProcess,
  change: (how: (progress: TrainingProgress) => TrainingProgress) => void,
  complain: (text: string) => void,
): void {
  if (child.stdout !== null) {
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (text) => change((progress) => afterLine(progress, text)));
  }
  child.stderr?.on("data", (piece: Buffer) => complain(piece.toString()));
}
