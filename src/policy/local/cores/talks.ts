/**
 * Conversations whose words are computed on another thread. What was read and said is known here too. The thread is chosen
 * when a conversation first speaks, together with all that first speak in the same breath.
 */
import { EngineError } from "../../../base/index.ts";
import { checkSampling, checkTokens, refuseBusy, type Sampling } from "../../conversation-guards.ts";
import type { Conversation, Sampled, SampleOptions } from "../../policy.ts";
import type { ModelConfig } from "../model-config.ts";
import type { OpenOptions } from "../sampler-options.ts";
import type { Core } from "./core.ts";
import type { TalkStart } from "./messages.ts";
import { placeTalks } from "./placing.ts";

export interface TalksOptions {
  readonly config: ModelConfig;
  readonly cores: () => readonly Core[];
  /** Resolves when the threads have been told of the present weights. */
  readonly renew: () => Promise<void>;
}

interface Talk {
  /** Undefined until it first speaks: then nothing was read there, and `tokens` has all there is to read. */
  core: Core | undefined;
  readonly start: TalkStart;
  readonly number: number;
  tokens: Int32Array;
  count: number;
  busy: boolean;
  closed: boolean;
}

export interface Talks {
  open(options?: OpenOptions): Conversation;
}

export function createTalks({ config, cores, renew }: TalksOptions): Talks {
  const known = new WeakMap<Conversation, Talk>();
  let count = 0;
  const letGo = (talk: Talk): void => {
    if (talk.closed) return;
    talk.closed = true;
    // One that is speaking leaves when it has spoken.
    if (!talk.busy) leave(talk);
  };
  const leave = ({ core, number }: Talk): void => {
    if (core === undefined) return;
    core.talks -= 1;
    core.tell({ kind: "close", talk: number });
  };
  // Of conversations that nobody closes: the thread would keep what they have read.
  const forgotten = new FinalizationRegistry<Talk>(letGo);

  const leastBusy = (): Core => cores().reduce((least, one) => (one.talks < least.talks ? one : least));
  const join = (talk: Talk, core: Core): Core => {
    talk.core = core;
    core.talks += 1;
    core.tell({ kind: "open", talk: talk.number, start: talk.start });
    if (talk.count > 0) core.tell({ kind: "extend", talk: talk.number, ids: talk.tokens.slice(0, talk.count) });
    return core;
  };
  let arriving: Talk[] = [];
  let placed: Promise<void> | undefined;
  const place = (): void => {
    const [talks, all] = [arriving, cores()];
    [arriving, placed] = [[], undefined];
    const beginnings = talks.map(({ tokens, count: length }) => tokens.subarray(0, length));
    const places = placeTalks(
      all.map((core) => core.talks),
      beginnings,
    );
    for (const [at, talk] of talks.entries()) join(talk, all[places[at] as number] as Core);
  };
  /** The core of a conversation that speaks. Whoever begins to in the same breath is waited for. */
  const coreOf = async (talk: Talk): Promise<Core> => {
    if (talk.core !== undefined) return talk.core;
    arriving.push(talk);
    placed ??= new Promise<void>((resolve) => setImmediate(resolve)).then(place);
    await placed;
    return talk.core as unknown as Core;
  };

  const say = async (talk: Talk, options: SampleOptions): Promise<Sampled> => {
    checkSampling(talk.count, config.contextLength, samplingOf(talk), options);
    const { signal, ...plain } = options;
    talk.busy = true;
    try {
      await renew();
      const core = await coreOf(talk);
      const question = { kind: "sample", talk: talk.number, options: cloneable(plain) } as const;
      const answer = await core.ask(question, [], signal);
      if (answer.kind === "failed") {
        const { tokens = talk.tokens.subarray(0, talk.count) } = answer;
        push(talk, tokens.subarray(talk.count));
        throw EngineError.from(answer.error, signal?.reason);
      }
      if (answer.kind !== "said") throw new EngineError("internal", `A thread answered with "${answer.kind}".`);
      push(talk, answer.sampled.ids);
      return answer.sampled;
    } finally {
      talk.busy = false;
      if (talk.closed) leave(talk);
    }
  };

  const converse = (talk: Talk): Conversation => {
    const conversation: Conversation = {
      get tokens() {
        return talk.tokens.slice(0, talk.count);
      },
      extend: (ids) => {
        refuseBusy(samplingOf(talk));
        checkTokens(ids, config.vocabularySize);
        const read = Int32Array.from(ids);
        push(talk, read);
        talk.core?.tell({ kind: "extend", talk: talk.number, ids: read });
      },
      sample: (options) => say(talk, options),
      fork: (label) => {
        refuseBusy(samplingOf(talk));
        const number = (count += 1);
        const core = talk.core ?? join(talk, leastBusy());
        core.tell({ kind: "fork", talk: number, from: talk.number, label });
        core.talks += 1;
        return converse({ ...talk, number, tokens: talk.tokens.slice() });
      },
      close: () => letGo(talk),
    };
    known.set(conversation, talk);
    forgotten.register(conversation, talk);
    return conversation;
  };

  return {
    open: ({ after, ...given } = {}) => {
      const number = (count += 1);
      const earlier = after === undefined ? undefined : known.get(after);
      const length = Math.min(given.shared ?? Number.POSITIVE_INFINITY, earlier?.count ?? 0);
      const tokens = earlier?.tokens.slice() ?? new Int32Array(64);
      const { shared: _shared, ...start } = given;
      const talk: Talk = { core: undefined, start, number, tokens, count: length, busy: false, closed: false };
      // What it had read lies there, unless that one was closed.
      if (earlier?.core !== undefined && !earlier.closed) {
        talk.core = earlier.core;
        talk.core.talks += 1;
        talk.core.tell({ kind: "open", talk: number, start: { ...given, after: earlier.number } });
      }
      return converse(talk);
    },
  };
}

function samplingOf({ closed, busy }: Talk): Sampling {
  return { closed, busy };
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

function push(talk: Talk, ids: Int32Array): void {
  const count = talk.count + ids.length;
  if (count > talk.tokens.length) {
    const grown = new Int32Array(Math.max(count, 2 * talk.tokens.length));
    grown.set(talk.tokens.subarray(0, talk.count));
    talk.tokens = grown;
  }
  talk.tokens.set(ids, talk.count);
  talk.count = count;
}
