/**
 * Threads that share the work of one policy. Each has a copy of the model and computes on one core: whole micro-batches
 * when scoring and learning, whole conversations when sampling. What a micro-batch or a conversation gives does not depend
 * on the thread it is given to, and gradients are added in the order of the micro-batches, so that results are the same for
 * every number of threads.
 *
 * Threads inside one operator would need no copies, but the operators of small models are too short to be divided.
 */
import { EngineError } from "../../../base/index.ts";
import { loadOnnxRuntime } from "../../../graph/runtime.ts";
import type { Conversation } from "../../policy.ts";
import type { OpenOptions } from "../sampler-options.ts";
import type { Decoded } from "../sampler-options.ts";
import type { Weights } from "../weights.ts";
import { startCore, type Core } from "./core.ts";
import { ADAPTER, BASE, type CoreSetup, type GraphRun, type Outputs } from "./messages.ts";
import { createTalks } from "./talks.ts";

export interface CoresOptions {
  readonly count: number;
  readonly setup: CoreSetup;
  readonly weights: Weights;
  readonly adapter: Weights | undefined;
  /** Counts changes of the weights, and how often all of them were replaced. */
  readonly changes: () => number;
  readonly replacements: () => number;
  /** What the present count is called in results. */
  readonly version: () => number;
}

export interface Cores {
  readonly count: number;
  /** Runs a micro-batch on the thread that has least to do. A gradient that is given travels: the written one comes back. */
  run(work: GraphRun): Promise<Ran>;
  /** Brings the threads up to date; to be awaited before a run. */
  renew(): Promise<void>;
  /** The number under which the threads know these weights, as they are now. */
  lend(weights: Weights): Promise<number>;
  open(options?: OpenOptions): Conversation;
  readonly decoded: Decoded;
  close(): Promise<void>;
}

export interface Ran {
  readonly outputs: Outputs;
  readonly gradient: Float32Array | undefined;
}

/** Weights in memory that all threads see; it is written again when every one has taken its copy. */
interface Shelf {
  readonly flat: Float32Array;
  taken: Promise<unknown>;
}

export function createCores(options: CoresOptions): Cores {
  const { count, setup, weights, adapter, changes, replacements, version } = options;
  let started: readonly Core[] | undefined;
  const cores = (): readonly Core[] => (started ??= Array.from({ length: count }, () => startCore(setup)));
  // Held here too: once the last thread that has it ends, it cannot be loaded a second time in a process.
  let runtime: Promise<unknown> | undefined;
  const holdRuntime = (): Promise<unknown> => (runtime ??= loadOnnxRuntime());
  const shelves = new Map<number, Shelf>();
  const numbers = new WeakMap<Float32Array, number>();
  let lent = ADAPTER;

  const put = async (set: number, from: Float32Array): Promise<void> => {
    const shelf = shelves.get(set) ?? { flat: sharedArray(from.length), taken: Promise.resolve() };
    shelves.set(set, shelf);
    await shelf.taken;
    shelf.flat.set(from);
    const told = { kind: "weights", set, flat: shelf.flat, changes: changes(), version: version() } as const;
    shelf.taken = Promise.all(cores().map((core) => core.ask(told)));
    // Whoever asks next is told.
    shelf.taken.catch(() => undefined);
  };

  let [known, whole] = [-1, -1];
  const bring = async (): Promise<void> => {
    if (known === changes()) return;
    known = changes();
    if (adapter === undefined || whole !== replacements()) await put(BASE, weights.flat);
    whole = replacements();
    if (adapter !== undefined) await put(ADAPTER, adapter.flat);
  };
  let renewing: Promise<void> = Promise.resolve();
  const renew = (): Promise<void> => {
    renewing = renewing.then(holdRuntime).then(bring);
    return renewing;
  };

  const talks = createTalks({ config: setup.config, cores, renew });
  return {
    count,
    renew,
    lend: async (other) => {
      const set = numbers.get(other.flat) ?? (lent += 1);
      numbers.set(other.flat, set);
      await holdRuntime();
      await put(set, other.flat);
      return set;
    },
    run: async (work) => {
      const idle = cores().reduce((least, core) => (core.runs < least.runs ? core : least));
      const { gradient } = work;
      const answer = await idle.ask({ kind: "run", ...work }, gradient === undefined ? [] : [gradient.buffer]);
      if (answer.kind !== "ran") throw new EngineError("internal", `A thread answered a run with "${answer.kind}".`);
      return { outputs: answer.outputs, gradient: answer.gradient };
    },
    open: (open) => talks.open(open),
    get decoded() {
      const sum = (name: "passes" | "rows" | "tokens"): number =>
        cores().reduce((total, core) => total + core.decoded[name], 0);
      return { passes: sum("passes"), rows: sum("rows"), tokens: sum("tokens") };
    },
    close: async () => {
      await Promise.all((started ?? []).map((core) => core.close()));
    },
  };
}

function sharedArray(length: number): Float32Array {
  return new Float32Array(new SharedArrayBuffer(4 * length));
}
