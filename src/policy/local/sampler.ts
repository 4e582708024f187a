/**
 * Continuous batching: conversations enter when they want to speak and leave when they have spoken; those in between
 * share every decoding step. What a conversation draws depends on its own turns and its seed, never on its company:
 * its tokens are taken in chunks that follow from its own pending count alone.
 */
import { createRng, EngineError, restoreRng, withoutUndefined } from "../../base/index.ts";
import { checkSampling, checkTokens, refuseBusy } from "../conversation-guards.ts";
import type { Conversation, Sampled, SampleOptions } from "../policy.ts";
import { createArenaPool } from "./arena-pool.ts";
import { createDrafting, type Said } from "./draft/drafting.ts";
import { childOf, NO_DRAFT } from "./draft/tree.ts";
import type { Prediction } from "./draw.ts";
import { copyStore, createStore } from "./key-value.ts";
import { leastRows } from "./least-rows.ts";
import { createLane, type Lane } from "./lane.ts";
import { createPeek, createResponse, type Response } from "./response.ts";
import { rotaryValues } from "./rotary.ts";
import type { Sampler, SamplerOptions } from "./sampler-options.ts";
import { createTurns } from "./turns.ts";
import { push, readLastAgain, samplingOf, sharedTokens, unsay, type Speaker, type Turn } from "./speaker.ts";

/** Tokens taken at a time: many for long observations, one while speaking. */
const WIDTHS = [32, 24, 8, 1] as const;
const SHARED_CHUNK = WIDTHS[0];

/** A turn that is over, and how its speaker is told. */
interface Ended {
  readonly speaker: Speaker;
  readonly finish: (turn: Turn) => void;
}

export function createSampler(options: SamplerOptions): Sampler {
  const { config, version, maxRows = 64, versionName = (changes) => changes } = options;
  const pool = createArenaPool(config);
  // By the positions in use: a table over a context of 131,072 would take hundreds of megabytes.
  const known = new Map<number, Readonly<Record<string, Float32Array>>>();
  const tables = (positions: number): Readonly<Record<string, Float32Array>> => {
    const made = known.get(positions) ?? rotaryValues(config, positions);
    known.set(positions, made);
    return made;
  };
  const drafting = createDrafting(options, config, maxRows);
  const states = (): boolean => drafting?.states === true || options.said?.on === true;
  const lanes = new Map<number, Lane<Speaker>>(
    WIDTHS.map((width) => {
      const least = leastRows(config, width, maxRows, options.threads);
      const guessed =
        width === 1 && drafting !== undefined ? { widest: drafting.widest, narrowest: drafting.narrowest } : {};
      return [width, createLane<Speaker>({ ...options, width, least, maxRows, ...guessed, states, tables, pool })];
    }),
  );
  const nextLane = createTurns([...lanes.values()]);
  const waiting: Speaker[] = [];
  /** Conversations whose opening others may share, by their first chunk; the newest wins. */
  const openings = new Map<string, Speaker>();
  const decoded = { passes: 0, rows: 0, tokens: 0, ...withoutUndefined({ overlap: drafting?.overlap }) };
  let running = false;

  const laneOf = (speaker: Speaker): Lane<Speaker> => {
    const pending = speaker.count - speaker.cached;
    const width = pending > 24 ? 32 : pending > 8 ? 24 : pending > 1 ? 8 : 1;
    return lanes.get(width) as Lane<Speaker>;
  };

  const end = (lane: Lane<Speaker>, ended: readonly Ended[]): void => {
    lane.leave(ended.map(({ speaker }) => speaker));
    for (const { speaker, finish } of ended) {
      const { turn } = speaker;
      speaker.turn = undefined;
      if (turn !== undefined) finish(turn);
    }
  };

  /** Draws for every row that has taken all its tokens, and moves rows to where they belong next. */
  const settle = (lane: Lane<Speaker>, predictions: (row: number, node: number) => Prediction): Said => {
    const ended: Ended[] = [];
    const moving: Speaker[] = [];
    const said = { tokens: 0, least: Number.POSITIVE_INFINITY };
    lane.rows.forEach((speaker, at) => {
      const turn = speaker.turn as Turn;
      if (turn.signal?.aborted === true) {
        const error = new EngineError("cancelled", "Sampling was cancelled.", { cause: turn.signal.reason });
        ended.push({ speaker, finish: ({ reject }) => reject(error) });
        return;
      }
      if (speaker.cached === speaker.count) {
        const [over, tokens] = say(
          speaker,
          turn,
          (node) => predictions(at, node),
          (node) => lane.keep(at, node),
        );
        said.tokens += tokens;
        decoded.rows += 1;
        if (over !== undefined) {
          const result = turn.response.finish(versionName(speaker.version), over);
          ended.push({ speaker, finish: ({ resolve }) => resolve(result) });
          return;
        }
        said.least = Math.min(said.least, tokens);
      }
      if (laneOf(speaker) !== lane) moving.push(speaker);
    });
    if (ended.length > 0) end(lane, ended);
    if (moving.length > 0) lane.leave(moving);
    waiting.unshift(...moving);
    return said;
  };

  /** Draws a token, and one more for every guess that it was. Says how the response ended, if it did, and how many there were. */
  const say = (
    speaker: Speaker,
    { response }: Turn,
    prediction: (node: number) => Prediction,
    keep: (node: number) => void,
  ): readonly [Sampled["ending"] | undefined, number] => {
    const { draft, hunch } = speaker;
    [speaker.draft, speaker.hunch] = [NO_DRAFT, NO_DRAFT];
    for (let node = -1, said = 1; ; said += 1) {
      const predicted = prediction(node);
      const ending = response.take(predicted, speaker.rng.float());
      push(speaker, response.last());
      const over = ending ?? (speaker.count >= config.contextLength ? "context" : undefined);
      const child = childOf(draft, node, response.last());
      drafting?.judge(draft, node, child);
      if (node < 0) drafting?.judge(hunch, -1, childOf(hunch, -1, response.last()));
      if (over !== undefined || child < 0) {
        const { state } = predicted;
        if (over !== undefined && state !== undefined && options.said?.on === true)
          options.said.note(speaker.tokens, speaker.count, state);
        speaker.state = state === undefined ? undefined : { values: state.slice(), count: speaker.count };
        return [over, said];
      }
      keep(child);
      node = child;
    }
  };

  /** Lets waiting speakers in. One whose opening is being read by another waits for it instead of reading it too. */
  const admit = (): void => {
    const joining = new Map<Lane<Speaker>, Speaker[]>();
    const room = (lane: Lane<Speaker>): boolean => lane.rows.length + (joining.get(lane)?.length ?? 0) < maxRows;
    for (const speaker of waiting.splice(0)) {
      // What it shares may move it to another lane, which may be full.
      if (room(laneOf(speaker)) && shareOpening(speaker) && room(laneOf(speaker))) {
        const lane = laneOf(speaker);
        joining.set(lane, [...(joining.get(lane) ?? []), speaker]);
      } else waiting.push(speaker);
    }
    for (const [lane, speakers] of joining) lane.join(speakers);
  };

  /** False when the speaker should wait for the one that is reading the same opening. */
  const shareOpening = (speaker: Speaker): boolean => {
    if (speaker.cached > 0 || speaker.count <= SHARED_CHUNK) return true;
    const key = speaker.tokens.subarray(0, SHARED_CHUNK).join(" ");
    const other = openings.get(key);
    const usable = other !== undefined && other !== speaker && other.version === speaker.version && !other.closed;
    if (!usable) {
      openings.delete(key);
      openings.set(key, speaker);
      for (const oldest of openings.keys()) {
        if (openings.size <= maxRows) break;
        openings.delete(oldest);
      }
      return true;
    }
    const shared = Math.floor(sharedTokens(speaker, other) / SHARED_CHUNK) * SHARED_CHUNK;
    if (other.store.length < shared) return other.turn === undefined;
    Object.assign(speaker.store, copyStore(other.store, shared));
    speaker.cached = shared;
    return true;
  };

  const loop = async (): Promise<void> => {
    running = true;
    try {
      for (;;) {
        admit();
        const lane = nextLane();
        if (lane === undefined) return;
        if (lane.width === 1) await drafting?.guess(lane);
        const rows = lane.rows.length;
        const said = settle(lane, await lane.step());
        drafting?.took(lane, rows, said);
        decoded.passes += 1;
        decoded.tokens += said.tokens;
      }
    } catch (error) {
      for (const lane of lanes.values()) {
        end(
          lane,
          lane.rows.map((speaker) => ({ speaker, finish: ({ reject }) => reject(error) })),
        );
      }
      pool.clear();
      for (const speaker of waiting.splice(0)) {
        speaker.turn?.reject(error);
        speaker.turn = undefined;
      }
    } finally {
      running = false;
    }
  };

  const sample = (
    speaker: Speaker,
    sampleOptions: SampleOptions,
    response: () => Response = () => createResponse(sampleOptions),
  ): Promise<Sampled> => {
    checkSampling(speaker.count, config.contextLength, samplingOf(speaker), sampleOptions);
    if (speaker.version !== version()) {
      Object.assign(speaker.store, createStore());
      speaker.cached = 0;
      speaker.version = version();
    }
    readLastAgain(speaker);
    return new Promise<Sampled>((resolve, reject) => {
      speaker.temperature = sampleOptions.temperature ?? 1;
      speaker.turn = { response: response(), signal: sampleOptions.signal, resolve, reject };
      waiting.push(speaker);
      // A tick later, so that everyone who asks in the same breath starts together.
      if (!running) {
        running = true;
        queueMicrotask(() => void loop());
      }
    });
  };

  const peek = async (speaker: Speaker, signal: AbortSignal | undefined): Promise<Float32Array> => {
    const { logprobs } = await sample(speaker, { maxTokens: 1, ...withoutUndefined({ signal }) }, createPeek);
    unsay(speaker);
    return logprobs;
  };

  const speakers = new WeakMap<Conversation, Speaker>();
  const converse = (speaker: Speaker): Conversation => {
    const talk = conversationOf(speaker);
    speakers.set(talk, speaker);
    return talk;
  };
  const conversationOf = (speaker: Speaker): Conversation => ({
    get tokens() {
      return speaker.tokens.slice(0, speaker.count);
    },
    extend: (ids) => {
      refuseBusy(samplingOf(speaker));
      checkTokens(ids, config.vocabularySize);
      for (let at = 0; at < ids.length; at += 1) push(speaker, ids[at] as number);
    },
    sample: async (sampleOptions) => sample(speaker, sampleOptions),
    peek: (signal) => peek(speaker, signal),
    fork: (label) => {
      refuseBusy(samplingOf(speaker));
      return converse({
        ...speaker,
        rng: speaker.rng.split(label),
        tokens: speaker.tokens.slice(),
        store: copyStore(speaker.store, speaker.store.length),
      });
    },
    close: () => {
      speaker.closed = true;
    },
  });

  return {
    decoded,
    rest: async () => await drafting?.rest(),
    open: ({ seed = 0, rng: state, after, shared } = {}) => {
      const rng = state === undefined ? createRng(seed) : restoreRng(state);
      const earlier = after === undefined ? undefined : speakers.get(after);
      if (earlier !== undefined) {
        const count = Math.min(shared ?? earlier.count, earlier.count);
        // The last token is read again, since its logits are what is wanted.
        const cached = Math.max(0, Math.min(count - 1, earlier.store.length));
        const store = copyStore(earlier.store, cached);
        return converse({ ...earlier, rng, count, cached, tokens: earlier.tokens.slice(), store });
      }
      return converse({
        rng,
        store: createStore(),
        tokens: new Int32Array(64),
        count: 0,
        cached: 0,
        version: version(),
        turn: undefined,
        temperature: 1,
        draft: NO_DRAFT,
        hunch: NO_DRAFT,
        state: undefined,
        learned: 0,
        closed: false,
      });
    },
  };
}
