/** Conversations of a model in this process; their responses are drawn together (`decoding-loop.ts`). */
import { createRng, restoreRng, withoutUndefined, type Rng } from "../../base/index.ts";
import { checkSampling, createConversation } from "../conversation-guards.ts";
import type { Conversation, Sampled, SampleOptions } from "../policy.ts";
import { DecodingLoop } from "./decoding-loop.ts";
import { NO_DRAFT } from "./draft/tree.ts";
import { copyStore, createStore } from "./key-value.ts";
import { createPeek, createResponse, type Response } from "./response.ts";
import type { Sampler, SamplerOptions } from "./sampler-options.ts";
import { readLastAgain, removeLast, samplingOf, type Sequence } from "./sequence.ts";

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
