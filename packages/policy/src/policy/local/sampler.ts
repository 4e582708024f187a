/** Conversations of a model in this process; continuous batching samples their responses together. */
import { createRng, restoreRng, type Rng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { append, checkSampling, createConversation } from "../conversation-guards.ts";
import type { Conversation, Sampled, SampleOptions } from "../policy.ts";
import { childOf, NO_DRAFT } from "./draft/tree.ts";
import { copyStore, createArenaPool, createStore, type ArenaPool } from "./key-value.ts";
import { createPeek, createResponse, type Prediction, type Response } from "./response.ts";
import type { Decoded, Sampler, SamplerOptions } from "./sampler-options.ts";
import { readLastAgain, removeLast, samplingOf, sharedTokens, type SampleRequest, type Sequence } from "./sequence.ts";
import { createDrafting, type Drafting, type StepCounts } from "./draft/drafting.ts";
import { Lane, type LaneRow } from "./lane.ts";
import { leastRows } from "./least-rows.ts";
import { rotaryTablesFor } from "./rotary.ts";

export function createSampler(options: SamplerOptions): Sampler {
  const { config, version } = options;
  const loop = new DecodingLoop(options);
  const known = new WeakMap<Conversation, Sequence>();

  const sample = async (
    sequence: Sequence,
    sampleOptions: SampleOptions,
    response: () => Response = () => createResponse(sampleOptions),
  ): Promise<Sampled> => {
    checkSampling(sequence.count, config.contextLength, samplingOf(sequence), sampleOptions);
    if (sequence.version !== version()) {
      Object.assign(sequence.store, createStore());
      sequence.cached = 0;
      sequence.version = version();
    }
    readLastAgain(sequence);
    return await new Promise<Sampled>((resolve, reject) => {
      sequence.temperature = sampleOptions.temperature ?? 1;
      sequence.request = { response: response(), signal: sampleOptions.signal, resolve, reject };
      loop.submit(sequence);
    });
  };
  const converse = (sequence: Sequence): Conversation => {
    const conversation = createConversation({
      held: sequence,
      sampling: () => samplingOf(sequence),
      vocabularySize: config.vocabularySize,
      sample: (sampleOptions) => sample(sequence, sampleOptions),
      peek: async (signal) => {
        const { logprobs } = await sample(sequence, { maxTokens: 1, ...withoutUndefined({ signal }) }, createPeek);
        removeLast(sequence);
        return logprobs;
      },
      fork: (label) => converse(forkOf(sequence, sequence.rng.split(label), sequence.count, sequence.store.length)),
      close: () => {
        sequence.closed = true;
      },
    });
    known.set(conversation, sequence);
    return conversation;
  };
  return {
    decoded: loop.decoded,
    rest: () => loop.rest(),
    open: ({ seed = 0, rng: state, after, shared } = {}) => {
      const rng = state === undefined ? createRng(seed) : restoreRng(state);
      const earlier = after === undefined ? undefined : known.get(after);
      if (earlier === undefined) return converse(emptySequence(rng, version()));
      const count = Math.min(shared ?? earlier.count, earlier.count);
      // The last token is read again, since its logits are what is wanted.
      const cached = Math.max(0, Math.min(count - 1, earlier.store.length));
      return converse({ ...forkOf(earlier, rng, count, cached), cached });
    },
  };
}

function emptySequence(rng: Rng, version: number): Sequence {
  const nothing = { request: undefined, draft: NO_DRAFT, unchecked: NO_DRAFT, state: undefined };
  const counts = { count: 0, cached: 0, learned: 0, temperature: 1, version };
  return { rng, store: createStore(), tokens: new Int32Array(64), ...counts, ...nothing, closed: false };
}

/** The first tokens of a sequence with a generator of their own, and so many positions of what it has read. */
function forkOf(sequence: Sequence, rng: Rng, count: number, read: number): Sequence {
  return { ...sequence, rng, count, tokens: sequence.tokens.slice(), store: copyStore(sequence.store, read) };
}

// Continuous batching: sequences enter with a request and leave with its response; those in between
// share every decoding step. What a sequence draws depends on its own requests and its seed, never on its batch:
// its tokens are taken in chunks that follow from its own pending count alone.

/** Tokens taken at a time: many for long observations, one while responses are drawn. */
const WIDTHS = [32, 24, 8, 1] as const;
const SHARED_CHUNK = WIDTHS[0];

/** A finished request, and how it settles. */
interface Ended {
  readonly sequence: Sequence;
  readonly finish: (request: SampleRequest) => void;
}

type Predictions = Awaited<ReturnType<Lane<Sequence>["step"]>>;

class DecodingLoop {
  readonly decoded: Decoded & { passes: number; rows: number; tokens: number };
  readonly #options: SamplerOptions;
  readonly #maxRows: number;
  readonly #drafting: Drafting | undefined;
  readonly #pool: ArenaPool;
  readonly #lanes: ReadonlyMap<number, Lane<Sequence>>;
  readonly #nextLane: () => Lane<Sequence> | undefined;
  readonly #openings: Openings;
  readonly #waiting: Sequence[] = [];
  #running = false;

  constructor(options: SamplerOptions) {
    const { config, maxRows = 64 } = options;
    const drafting = createDrafting(options, config, maxRows);
    this.#options = options;
    this.#maxRows = maxRows;
    this.#drafting = drafting;
    this.#pool = createArenaPool(config);
    this.#openings = new Openings(maxRows);
    const shared = {
      ...options,
      maxRows,
      pool: this.#pool,
      tables: rotaryTablesFor(config),
      states: (): boolean => drafting?.states === true || options.memory?.on === true,
    };
    const lanes = WIDTHS.map(
      (width) =>
        new Lane<Sequence>({
          ...shared,
          width,
          least: leastRows(config, width, maxRows, options.threads),
          ...(width === 1 && drafting !== undefined
            ? { widest: drafting.widest, narrowest: () => drafting.narrowest }
            : {}),
        }),
    );
    this.#lanes = new Map(lanes.map((lane) => [lane.width, lane]));
    this.#nextLane = createTurns(lanes);
    const counts = withoutUndefined({ overlap: drafting?.overlap, guessed: drafting?.guessed });
    this.decoded = { passes: 0, rows: 0, tokens: 0, ...counts };
  }

  /** Lets a sequence with a request in at the next step. */
  submit(sequence: Sequence): void {
    this.#waiting.push(sequence);
    if (this.#running) return;
    this.#running = true;
    // A tick later, so that all requests of the same tick start together.
    queueMicrotask(() => void this.#run());
  }

  /** Settles when no drafting runs in the background. */
  async rest(): Promise<void> {
    await this.#drafting?.rest();
  }

  async #run(): Promise<void> {
    try {
      for (;;) {
        this.#admit();
        const lane = this.#nextLane();
        if (lane === undefined) return;
        if (lane.width === 1) await this.#drafting?.guess(lane);
        const rows = lane.rows.length;
        const counts = this.#settle(lane, await lane.step());
        this.#drafting?.took(lane, rows, counts);
        this.decoded.passes += 1;
        this.decoded.tokens += counts.tokens;
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#running = false;
    }
  }

  #laneOf(sequence: Sequence): Lane<Sequence> {
    const pending = sequence.count - sequence.cached;
    const width = pending > 24 ? 32 : pending > 8 ? 24 : pending > 1 ? 8 : 1;
    return this.#lanes.get(width) as Lane<Sequence>;
  }

  /** Lets waiting sequences in. One whose opening is being read by another waits for it instead of reading it too. */
  #admit(): void {
    const joining = new Map<Lane<Sequence>, Sequence[]>();
    const hasRoom = (lane: Lane<Sequence>): boolean =>
      lane.rows.length + (joining.get(lane)?.length ?? 0) < this.#maxRows;
    for (const sequence of this.#waiting.splice(0)) {
      // What it shares may move it to another lane, which may be full.
      const enters =
        hasRoom(this.#laneOf(sequence)) && this.#openings.share(sequence) && hasRoom(this.#laneOf(sequence));
      const lane = this.#laneOf(sequence);
      if (enters) joining.set(lane, [...(joining.get(lane) ?? []), sequence]);
      else this.#waiting.push(sequence);
    }
    for (const [lane, sequences] of joining) lane.join(sequences);
  }

  /** Draws for every row that has taken all its tokens, and moves rows to where they belong next. */
  #settle(lane: Lane<Sequence>, predictions: Predictions): StepCounts {
    const ended: Ended[] = [];
    const moving: Sequence[] = [];
    const counts: StepCounts = { tokens: 0, least: Number.POSITIVE_INFINITY };
    lane.rows.forEach((sequence, row) => {
      const { signal, response } = sequence.request as SampleRequest;
      if (signal?.aborted === true) {
        const error = new EngineError("cancelled", "Sampling was cancelled.", { cause: signal.reason });
        ended.push({ sequence, finish: ({ reject }) => reject(error) });
        return;
      }
      if (sequence.cached === sequence.count) {
        const [ending, tokens] = this.#draw(lane, row, predictions);
        counts.tokens += tokens;
        this.decoded.rows += 1;
        if (ending !== undefined) {
          const { versionName = (changes: number) => changes } = this.#options;
          const result = response.finish(versionName(sequence.version), ending);
          ended.push({ sequence, finish: ({ resolve }) => resolve(result) });
          return;
        }
        counts.least = Math.min(counts.least, tokens);
      }
      if (this.#laneOf(sequence) !== lane) moving.push(sequence);
    });
    if (ended.length > 0) leave(lane, ended);
    if (moving.length > 0) lane.leave(moving);
    this.#waiting.unshift(...moving);
    return counts;
  }

  /** Draws a token, and one more for every accepted draft token. Returns how the response ended, if it did, and their number. */
  #draw(lane: Lane<Sequence>, row: number, predictions: Predictions): readonly [Sampled["ending"] | undefined, number] {
    const sequence = lane.rows[row] as Sequence;
    const { draft, unchecked } = sequence;
    const { response } = sequence.request as SampleRequest;
    [sequence.draft, sequence.unchecked] = [NO_DRAFT, NO_DRAFT];
    for (let node = -1, tokens = 1; ; tokens += 1) {
      const prediction = predictions(row, node);
      const ended = response.take(prediction, sequence.rng.float());
      append(sequence, [response.last()]);
      const ending = ended ?? (sequence.count >= this.#options.config.contextLength ? "context" : undefined);
      const child = childOf(draft, node, response.last());
      this.#drafting?.judge(draft, node, child);
      if (node < 0) this.#drafting?.judge(unchecked, -1, childOf(unchecked, -1, response.last()));
      if (ending !== undefined || child < 0) {
        this.#keepState(sequence, prediction, ending !== undefined);
        return [ending, tokens];
      }
      this.#drafting?.said(draft, child);
      lane.keep(row, child);
      node = child;
    }
  }

  /** Keeps the hidden state that the last token was drawn from, where predictions come with it. */
  #keepState(sequence: Sequence, { state }: Prediction, isOver: boolean): void {
    const { memory } = this.#options;
    if (isOver && state !== undefined && memory?.on === true) memory.note(sequence.tokens, sequence.count, state);
    sequence.state = state === undefined ? undefined : { values: state.slice(), count: sequence.count };
  }

  #fail(error: unknown): void {
    for (const lane of this.#lanes.values()) {
      const ended = lane.rows.map((sequence): Ended => ({ sequence, finish: ({ reject }) => reject(error) }));
      leave(lane, ended);
    }
    this.#pool.clear();
    for (const sequence of this.#waiting.splice(0)) {
      sequence.request?.reject(error);
      sequence.request = undefined;
    }
  }
}

function leave(lane: Lane<Sequence>, ended: readonly Ended[]): void {
  lane.leave(ended.map(({ sequence }) => sequence));
  for (const { sequence, finish } of ended) {
    const { request } = sequence;
    sequence.request = undefined;
    if (request !== undefined) finish(request);
  }
}

/** Sequences whose opening others may share, by their first chunk; the newest wins. */
class Openings {
  readonly #most: number;
  readonly #known = new Map<string, Sequence>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes over what another sequence has read. False when it should wait for the one that is reading the same opening. */
  share(sequence: Sequence): boolean {
    if (sequence.cached > 0 || sequence.count <= SHARED_CHUNK) return true;
    const key = sequence.tokens.subarray(0, SHARED_CHUNK).join(" ");
    const other = this.#known.get(key);
    const usable = other !== undefined && other !== sequence && other.version === sequence.version && !other.closed;
    if (!usable) {
      this.#known.delete(key);
      this.#known.set(key, sequence);
      for (const oldest of this.#known.keys()) {
        if (this.#known.size <= this.#most) break;
        this.#known.delete(oldest);
      }
      return true;
    }
    const shared = Math.floor(sharedTokens(sequence, other) / SHARED_CHUNK) * SHARED_CHUNK;
    if (other.store.length < shared) return other.request === undefined;
    Object.assign(sequence.store, copyStore(other.store, shared));
    sequence.cached = shared;
    return true;
  }
}

/** Passes of reading while others wait to draw. */
const MOST_READING = 4;

/**
 * Which lane takes the next step, of lanes from the widest to that of one token. Reading goes first, so that all rows draw in the same passes: a
 * pass costs nearly the same for one row as for eight. After some passes of reading there is one of drawing, or a stream of newcomers would hold up all others.
 */
export function createTurns<Of extends Pick<Lane<LaneRow>, "width" | "rows">>(
  lanes: readonly Of[],
): () => Of | undefined {
  let read = 0;
  return () => {
    const busy = lanes.filter(({ rows }) => rows.length > 0);
    const drawing = busy.find(({ width }) => width === 1);
    const next = drawing !== undefined && read >= MOST_READING ? drawing : busy[0];
    read = next === drawing ? 0 : read + 1;
    return next;
  };
}
