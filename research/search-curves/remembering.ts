/**
 * A model that is asked the same thing once. What a conversation says follows from its tokens and its generator alone, and
 * searches of one task begin alike whatever their method and budget: twenty methods at seven budgets ask for the same
 * answers over and over. Budgets are the search's own business, so that an answer that is known costs a search as much as
 * any other.
 *
 * Conversations with one beginning share what was read of it, whatever they draw.
 */
import { createHash } from "node:crypto";
import { createRng, type Rng, type Policy, type LocalModel } from "limbeck";
import type { RngState } from "../../packages/base/src/base/rng.ts";
import type { Conversation, Sampled } from "limbeck/policy";
import type { SampleOptions } from "../../packages/policy/src/policy/policy.ts";

export interface Remembering extends Policy {
  /** Answers that were asked for, and those that the model gave. */
  readonly counts: { readonly asked: number; readonly answered: number };
}

/** What was read of so many conversations is kept; about 2 kB a token with the bundled models. */
const MOST_KEPT = 4_000;

export function remembering(model: LocalModel): Remembering {
  const answers = new Map<string, Promise<Sampled>>();
  /** Conversations by what they have read, the least recently used first. */
  const kept = new Map<number, Conversation>();
  /** Prompts that are being read. */
  const reading = new Map<number, Promise<unknown>>();
  const counts = { asked: 0, answered: 0 };

  const keep = (place: number, conversation: Conversation): void => {
    kept.delete(place);
    kept.set(place, conversation);
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_KEPT) break;
      kept.delete(oldest);
    }
  };

  /** A conversation with these tokens, begun with the longest beginning that was read already. */
  const opened = (tokens: Int32Array, places: Float64Array, rng: RngState): Conversation => {
    for (let length = tokens.length; length > 0; length -= 1) {
      const place = places[length - 1] as number;
      const after = kept.get(place);
      if (after === undefined) continue;
      keep(place, after);
      const conversation = model.open({ rng, after, shared: length });
      conversation.extend(tokens.subarray(length));
      return conversation;
    }
    const conversation = model.open({ rng });
    conversation.extend(tokens);
    return conversation;
  };

  const ask = async (tokens: Int32Array, rng: RngState, options: SampleOptions): Promise<Sampled> => {
    const places = placesOf(tokens);
    const prompt = places.at(-1) as number;
    await reading.get(prompt);
    const conversation = opened(tokens, places, rng);
    const sampled = conversation.sample(options);
    const settled = sampled.then(
      () => undefined,
      () => undefined,
    );
    if (!reading.has(prompt)) {
      reading.set(prompt, settled);
      void settled.then(() => reading.delete(prompt));
    }
    await sampled;
    keep(prompt, conversation);
    keep(placesOf(conversation.tokens).at(-1) as number, conversation);
    counts.answered += 1;
    return await sampled;
  };

  const converse = (rng: Rng, before: Int32Array): Conversation => {
    let tokens = before;
    const read = (ids: ArrayLike<number>): void => {
      const longer = new Int32Array(tokens.length + ids.length);
      longer.set(tokens);
      longer.set(ids, tokens.length);
      tokens = longer;
    };
    return {
      get tokens() {
        return tokens;
      },
      extend: read,
      // Whoever gives up does not take the answer from others that wait for it.
      sample: async ({ signal: _signal, ...options }) => {
        counts.asked += 1;
        const state = rng.save();
        const key = keyOf(tokens, state, options);
        const known = answers.get(key) ?? ask(tokens, state, options);
        answers.set(key, known);
        const sampled = await known;
        // As the model does: one draw a token.
        for (let drawn = 0; drawn < sampled.ids.length; drawn += 1) rng.float();
        read(sampled.ids);
        return sampled;
      },
      fork: (label) => converse(rng.split(label), tokens),
      close: () => undefined,
    };
  };

  return {
    get ref() {
      return model.ref;
    },
    counts,
    open: ({ seed = 0 } = {}) => converse(createRng(seed), new Int32Array()),
    close: () => model.close(),
  };
}

/** Everything that an answer depends on. */
function keyOf(tokens: Int32Array, { key, state }: RngState, { temperature = 1, maxTokens }: SampleOptions): string {
  const rest = JSON.stringify([key, state, temperature, maxTokens]);
  return createHash("sha1").update(tokens).update(rest).digest("base64");
}

/** A number of 53 bits for every beginning of the tokens. */
function placesOf(tokens: ArrayLike<number>): Float64Array {
  const places = new Float64Array(tokens.length);
  let [high, low] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = (tokens[at] as number) + 1;
    high = Math.imul(high ^ token, 0x01000193) ^ (high >>> 15);
    low = Math.imul(low + token, 0x85ebca6b) ^ (low >>> 13);
    places[at] = (high >>> 0) * 2 ** 21 + (low >>> 11);
  }
  return places;
}
