/** The hidden states that given tokens were predicted from: computed for them, or kept from sampling. */
import { input, type Tensor } from "../../graph/tensor.ts";
import { ops } from "../../graph/build.ts";
import type { Program } from "../../graph/program.ts";
import { throwIfAborted } from "limbeck-base/base/errors";
import type { ScoreRow } from "../policy.ts";
import { workFeeds } from "./feeds.ts";
import { decoderStack, parameterInputs } from "./layers.ts";
import type { ModelConfig } from "./model-config.ts";
import { checkRow, planWork, type ScorerOptions } from "./scorer.ts";
import { readingOf, type StatisticsShape } from "./statistics-graph.ts";

/** Output "states", [count, hidden]. */
export function statesGraph(config: ModelConfig, shape: StatisticsShape): Record<string, Tensor> {
  const everywhere = decoderStack(config, parameterInputs(config), readingOf(config, shape));
  return { states: shape.chosen ? ops.gather(everywhere, input("places", "int64", [shape.count])) : everywhere };
}

/** For every row the states of its asked tokens, one after the other; the first token of a row is predicted from nothing. */
export async function hiddenStates(
  engine: Omit<ScorerOptions, "program"> & { readonly program: (shape: StatisticsShape) => Promise<Program> },
  rows: readonly ScoreRow[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const { config, weights } = engine;
  const size = config.hiddenSize;
  rows.forEach((row, at) => checkRow(config, row, at, []));
  const asked = rows.map(({ ids, mask }) => askedBefore(ids.length, mask));
  const results = asked.map((before) => new Float32Array((before.at(-1) ?? 0) * size));
  for (const work of planWork(engine, rows, ["logprob"], (row, token) => rows[row]?.mask?.[token] !== 0)) {
    throwIfAborted(signal);
    const wanted = { ...work, shape: { ...work.shape, statistics: [] } };
    const program = await engine.program(wanted.shape);
    const { states } = await program.run({ ...weights, ...workFeeds(config, rows, wanted) });
    work.batch.members.forEach(({ row }, at) => {
      const before = asked[row] as Int32Array;
      (work.predictions.slots[at] as Int32Array).forEach((slot, position) => {
        const place = before[position + 1];
        if (slot < 0 || place === undefined || before[position + 2] === place) return;
        const from = (states as Float32Array).subarray(slot * size, (slot + 1) * size);
        (results[row] as Float32Array).set(from, place * size);
      });
    });
  }
  return results;
}

/** Answers whose states are kept; the oldest are forgotten first. */
const MOST_STATES = 8_192;

export type StateMemory = ReturnType<typeof createStateMemory>;

/** By a fingerprint of all tokens up to the sampled one, the same for conversations, forks and recorded contexts. */
export function createStateMemory() {
  const known = new Map<number, Float32Array>();
  let on = false;
  return {
    get on(): boolean {
      return on;
    },
    /** From now on states are kept. */
    keep: (): void => {
      on = true;
    },
    /** The last of these tokens was sampled from this state. */
    note: (tokens: Int32Array, count: number, state: Float32Array): void => {
      const mark = createFingerprint();
      for (let at = 0; at < count; at += 1) mark.add(tokens[at] as number);
      known.delete(mark.value());
      known.set(mark.value(), state.slice());
      if (known.size <= MOST_STATES) return;
      const [oldest] = known.keys();
      known.delete(oldest as number);
    },
    /** The state that the last token of the longest known prefix of a context was sampled from. */
    before: (context: Int32Array): Float32Array | undefined => {
      if (known.size === 0) return undefined;
      const mark = createFingerprint();
      let found: Float32Array | undefined;
      for (const id of context) {
        mark.add(id);
        found = known.get(mark.value()) ?? found;
      }
      return found;
    },
    /** The weights have changed: the kept states are stale. */
    clear: (): void => known.clear(),
  };
}

/** 53 bits of two sums that depend on the order: of a million contexts, two are taken for one with a chance of 1 in 18,000. */
function createFingerprint(): { add(id: number): void; value(): number } {
  let [one, two] = [0x81_1c_9d_c5, 0x9e_37_79_b9];
  return {
    add: (id) => {
      one = Math.imul(one ^ id, 0x01_00_01_93);
      two = Math.imul(two, 0x85_eb_ca_6b) + id + 1;
      two ^= two >>> 15;
    },
    value: () => (one >>> 0) * 2 ** 21 + (two >>> 11),
  };
}

/** How many tokens before each are asked; one entry more than there are tokens. */
function askedBefore(length: number, mask: Uint8Array | undefined): Int32Array {
  const before = new Int32Array(length + 1);
  for (let token = 0; token < length; token += 1) {
    before[token + 1] = (before[token] as number) + (token > 0 && mask?.[token] !== 0 ? 1 : 0);
  }
  return before;
}
