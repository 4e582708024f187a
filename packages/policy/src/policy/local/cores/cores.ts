/**
 * Threads that share the work of one policy. Each has a copy of the model and computes on one core: whole micro-batches
 * when scoring and learning, whole conversations when sampling. What a micro-batch or a conversation gives does not depend
 * on the thread it is given to, and gradients are added in the order of the micro-batches, so that results are the same for
 * every number of threads.
 *
 * Threads inside one operator would need no copies, but the operators of small models are too short to be divided.
 */
import { EngineError } from "limbeck-base/base/errors";
import { loadOnnxRuntime } from "../../../graph/runtime.ts";
import type { Conversation, Sampled, SampleOptions } from "../../policy.ts";
import type { Decoded, OpenOptions } from "../sampler-options.ts";
import type { Weights } from "../weights.ts";
import {
  ADAPTER,
  BASE,
  type CoreSetup,
  type FromCore,
  type GraphRun,
  type Outputs,
  type TalkStart,
  type ToCore,
} from "./messages.ts";
import { append, checkSampling, createConversation } from "../../conversation-guards.ts";
import type { ModelConfig } from "../model-config.ts";
import { once } from "node:events";
import { startThread } from "limbeck-base/base/thread";

interface CoresOptions {
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

interface Ran {
  readonly outputs: Outputs;
  readonly gradient: Float32Array | undefined;
}

/** Weights in memory that all threads see; it is written again when every one has taken its copy. */
interface Shelf {
  readonly flat: Float32Array;
  taken: Promise<unknown>;
}

export type Cores = ReturnType<typeof createCores>;

export function createCores(options: CoresOptions) {
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
    const message = { kind: "weights", set, flat: shelf.flat, changes: changes(), version: version() } as const;
    shelf.taken = Promise.all(cores().map((core) => core.ask(message)));
    // The next question meets its failure.
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

  const talks = new Talks({ config: setup.config, cores, renew });
  return {
    count,
    /** Brings the threads up to date; to be awaited before a run. */
    renew,
    /** The number under which the threads know these weights, as they are now. */
    lend: async (other: Weights): Promise<number> => {
      const set = numbers.get(other.flat) ?? (lent += 1);
      numbers.set(other.flat, set);
      await holdRuntime();
      await put(set, other.flat);
      return set;
    },
    /** Runs a micro-batch on the thread that has least to do. A gradient that is given travels: the written one comes back. */
    run: async (work: GraphRun): Promise<Ran> => {
      const idle = cores().reduce((least, core) => (core.runs < least.runs ? core : least));
      const { gradient } = work;
      const answer = await idle.ask({ kind: "run", ...work }, gradient === undefined ? [] : [gradient.buffer]);
      if (answer.kind !== "ran") throw new EngineError("internal", `A thread answered a run with "${answer.kind}".`);
      return { outputs: answer.outputs, gradient: answer.gradient };
    },
    open: (open?: OpenOptions): Conversation => talks.open(open),
    get decoded(): Decoded {
      const sum = (name: "passes" | "rows" | "tokens"): number =>
        cores().reduce((total, core) => total + core.decoded[name], 0);
      return { passes: sum("passes"), rows: sum("rows"), tokens: sum("tokens") };
    },
    close: async (): Promise<void> => {
      await Promise.all((started ?? []).map((core) => core.close()));
    },
  };
}

function sharedArray(length: number): Float32Array {
  return new Float32Array(new SharedArrayBuffer(4 * length));
}

// Conversations whose tokens are computed on another thread. What was read and drawn is known here too. The thread is chosen
// at the first sample of a conversation, together with all that are first sampled in the same tick.

interface TalksOptions {
  readonly config: ModelConfig;
  readonly cores: () => readonly Core[];
  /** Resolves when the threads have the present weights. */
  readonly renew: () => Promise<void>;
}

interface Talk {
  /** Undefined until its first sample: then nothing was read there, and `tokens` has all there is to read. */
  core: Core | undefined;
  readonly start: TalkStart;
  readonly number: number;
  tokens: Int32Array;
  count: number;
  busy: boolean;
  closed: boolean;
}

class Talks {
  readonly #options: TalksOptions;
  readonly #known = new WeakMap<Conversation, Talk>();
  /** Of conversations that are never closed: the thread would keep what they have read. */
  readonly #forgotten = new FinalizationRegistry<Talk>((talk) => close(talk));
  #count = 0;
  #arriving: Talk[] = [];
  #placed: Promise<void> | undefined;

  constructor(options: TalksOptions) {
    this.#options = options;
  }

  open({ after, ...given }: OpenOptions = {}): Conversation {
    const earlier = after === undefined ? undefined : this.#known.get(after);
    const count = Math.min(given.shared ?? Number.POSITIVE_INFINITY, earlier?.count ?? 0);
    const tokens = earlier?.tokens.slice() ?? new Int32Array(64);
    const { shared: _shared, ...start } = given;
    const number = (this.#count += 1);
    const talk: Talk = { core: undefined, start, number, tokens, count, busy: false, closed: false };
    // What it had read lies there, unless that one was closed.
    if (earlier?.core !== undefined && !earlier.closed) {
      talk.core = earlier.core;
      talk.core.talks += 1;
      talk.core.tell({ kind: "open", talk: number, start: { ...given, after: earlier.number } });
    }
    return this.#converse(talk);
  }

  #converse(talk: Talk): Conversation {
    const { config, cores } = this.#options;
    const conversation = createConversation({
      held: talk,
      sampling: () => talk,
      vocabularySize: config.vocabularySize,
      onRead: (ids) => talk.core?.tell({ kind: "extend", talk: talk.number, ids }),
      sample: (options) => this.#sample(talk, options),
      fork: (label) => {
        const leastBusy = (): Core => cores().reduce((least, one) => (one.talks < least.talks ? one : least));
        const number = (this.#count += 1);
        const core = talk.core ?? join(talk, leastBusy());
        core.tell({ kind: "fork", talk: number, from: talk.number, label });
        core.talks += 1;
        return this.#converse({ ...talk, number, tokens: talk.tokens.slice() });
      },
      close: () => close(talk),
    });
    this.#known.set(conversation, talk);
    this.#forgotten.register(conversation, talk);
    return conversation;
  }

  async #sample(talk: Talk, options: SampleOptions): Promise<Sampled> {
    checkSampling(talk.count, this.#options.config.contextLength, talk, options);
    const { signal, ...rest } = options;
    talk.busy = true;
    try {
      await this.#options.renew();
      const core = await this.#coreOf(talk);
      const question = { kind: "sample", talk: talk.number, options: cloneable(rest) } as const;
      const answer = await core.ask(question, [], signal);
      if (answer.kind === "failed") {
        const { tokens = talk.tokens.subarray(0, talk.count) } = answer;
        append(talk, tokens.subarray(talk.count));
        throw EngineError.from(answer.error, signal?.reason);
      }
      if (answer.kind !== "said") throw new EngineError("internal", `A thread answered with "${answer.kind}".`);
      append(talk, answer.sampled.ids);
      return answer.sampled;
    } finally {
      talk.busy = false;
      if (talk.closed) leave(talk);
    }
  }

  /** The core of a conversation that is sampled. All that first are in the same tick are placed together. */
  async #coreOf(talk: Talk): Promise<Core> {
    if (talk.core !== undefined) return talk.core;
    this.#arriving.push(talk);
    this.#placed ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#place());
    await this.#placed;
    return talk.core as unknown as Core;
  }

  #place(): void {
    const [talks, all] = [this.#arriving, this.#options.cores()];
    [this.#arriving, this.#placed] = [[], undefined];
    const places = placeTalks(
      all.map((core) => core.talks),
      talks.map(({ tokens, count }) => tokens.subarray(0, count)),
    );
    for (const [at, talk] of talks.entries()) join(talk, all[places[at] as number] as Core);
  }
}

function join(talk: Talk, core: Core): Core {
  talk.core = core;
  core.talks += 1;
  core.tell({ kind: "open", talk: talk.number, start: talk.start });
  if (talk.count > 0) core.tell({ kind: "extend", talk: talk.number, ids: talk.tokens.slice(0, talk.count) });
  return core;
}

function close(talk: Talk): void {
  if (talk.closed) return;
  talk.closed = true;
  // One that is being sampled leaves when its response is there.
  if (!talk.busy) leave(talk);
}

function leave({ core, number }: Talk): void {
  if (core === undefined) return;
  core.talks -= 1;
  core.tell({ kind: "close", talk: number });
}

/** Token sequences may be of any kind that has a length; messages carry typed arrays best. */
function cloneable({ stop, allowed, ...options }: Omit<SampleOptions, "signal">): Omit<SampleOptions, "signal"> {
  const plain = (sequences: readonly ArrayLike<number>[]): Int32Array[] =>
    sequences.map((sequence) => Int32Array.from(sequence));
  return {
    ...options,
    ...(stop === undefined ? {} : { stop: plain(stop) }),
    ...(allowed === undefined ? {} : { allowed: plain(allowed) }),
  };
}

// Which core a new conversation goes to. Those that begin alike are kept together, because a core reads a beginning that is
// shared once; and no core gets more than its share.

/**
 * The core of each beginning, in their order. `loads` says how many conversations each core has already.
 * Those with the fewest are filled first, so that all have equally many, or one more, as far as that can be.
 */
export function placeTalks(loads: readonly number[], beginnings: readonly Int32Array[]): readonly number[] {
  const room = shares(loads, beginnings.length);
  const order = [...beginnings.keys()].toSorted((left, right) =>
    compare(beginnings[left] as Int32Array, beginnings[right] as Int32Array),
  );
  const placed = beginnings.map(() => 0);
  let core = 0;
  for (const at of order) {
    while (room[core] === 0) core += 1;
    room[core] = (room[core] as number) - 1;
    placed[at] = core;
  }
  return placed;
}

/** How many of `count` new ones each core takes. */
function shares(loads: readonly number[], count: number): number[] {
  const taken = loads.map(() => 0);
  const full = [...loads];
  for (let left = count; left > 0; left -= 1) {
    const least = full.indexOf(Math.min(...full));
    full[least] = (full[least] as number) + 1;
    taken[least] = (taken[least] as number) + 1;
  }
  return taken;
}

/** By their first difference: those that share most are neighbours. Equal ones keep their order. */
function compare(left: Int32Array, right: Int32Array): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    if (left[at] !== right[at]) return (left[at] as number) - (right[at] as number);
  }
  return left.length - right.length;
}

// One thread of a policy, seen from the policy: it is asked and answers.

/** Anything with an answer; the number is given here. */
type Question = Unnumbered<Extract<ToCore, { readonly kind: "weights" | "run" | "sample" }>>;
type Unnumbered<Message> = Message extends unknown ? Omit<Message, "id"> : never;

interface Waiting {
  readonly kind: Question["kind"];
  readonly resolve: (answer: FromCore) => void;
  readonly reject: (why: unknown) => void;
}

export type Core = ReturnType<typeof startCore>;

export function startCore(setup: CoreSetup) {
  const thread = startThread(import.meta.url, "worker", setup);
  const waiting = new Map<number, Waiting>();
  let [count, runs] = [0, 0];
  let decoded: Decoded = { passes: 0, rows: 0, tokens: 0 };
  let lost: EngineError | undefined;
  /** A close waits for the end, and keeps the process alive for it. */
  let closing = false;
  // A policy that is not closed must not keep the process alive.
  thread.unref();
  const settle = (id: number): Waiting | undefined => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (asked?.kind === "run") runs -= 1;
    if (waiting.size === 0 && !closing) thread.unref();
    return asked;
  };
  thread.on("message", (message: FromCore) => {
    const asked = settle(message.id);
    // Of a sample the conversation makes the error: it may hold tokens by now.
    if (message.kind === "failed" && asked?.kind !== "sample") {
      return asked?.reject(EngineError.from({ details: {}, ...message.error }));
    }
    if (message.kind === "said") ({ decoded } = message);
    asked?.resolve(message);
  });
  const tell = (message: ToCore): void => thread.postMessage(message, []);
  const fail = (cause: unknown): void => {
    lost ??= new EngineError(
      "acting-lost",
      "A thread that computes for the policy has ended before its work was done. Fewer cores need less memory; without cores there is no thread.",
      { cause },
    );
    for (const id of waiting.keys()) settle(id)?.reject(lost);
  };
  thread.on("error", fail);
  thread.on("exit", () => fail(undefined));

  return {
    /** Conversations that it holds. */
    talks: 0,
    /** Micro-batches that it has not given back. */
    get runs(): number {
      return runs;
    },
    /** What its sampling has cost so far. */
    get decoded(): Decoded {
      return decoded;
    },
    tell,
    ask: (question: Question, moved: readonly ArrayBufferLike[] = [], signal?: AbortSignal): Promise<FromCore> => {
      if (lost !== undefined) return Promise.reject(lost);
      const id = (count += 1);
      const stop = (): void => tell({ kind: "stop", id });
      const answer = new Promise<FromCore>((resolve, reject) => {
        waiting.set(id, { kind: question.kind, resolve, reject });
      });
      if (question.kind === "run") runs += 1;
      thread.ref();
      thread.postMessage({ ...question, id }, moved as ArrayBuffer[]);
      if (signal === undefined) return answer;
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      return answer.finally(() => signal.removeEventListener("abort", stop));
    },
    close: async (): Promise<void> => {
      if (lost !== undefined) return;
      closing = true;
      thread.ref();
      tell({ kind: "end" });
      await once(thread, "exit");
    },
  };
}
