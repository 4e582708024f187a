/** Samplers of a tiny model with guesses, and what they say; for the tests of drafts. */
import { expect } from "vitest";
import { createRng } from "../../packages/base/src/base/rng.ts";
import { decodeGraph } from "../../packages/policy/src/policy/local/decode-graph.ts";
import type { DraftingOptions } from "../../packages/policy/src/policy/local/draft/drafting.ts";
import type { DraftHeads, DraftModel } from "../../packages/policy/src/policy/local/draft/drafters.ts";
import { guessGraph } from "../../packages/policy/src/policy/local/draft/draft-heads.ts";
import {
  trainDraftHeads,
  type DraftHeadsOptions,
  type TrainedHeads,
} from "../../packages/policy/src/policy/local/draft/train-heads.ts";
import type { LocalPolicy } from "../../packages/policy/src/policy/local/local-policy.ts";
import { wrapModel } from "../../packages/policy/src/policy/local/open-model.ts";
import { createPrograms } from "../../packages/policy/src/policy/local/programs.ts";
import type { Sampler } from "../../packages/policy/src/policy/local/sampler-options.ts";
import { createSampler } from "../../packages/policy/src/policy/local/sampler.ts";
import type { Sampled, SampleOptions } from "../../packages/policy/src/policy/policy.ts";
import { createWeights } from "../../packages/policy/src/policy/local/weights.ts";
import { tinyConfig, tinyWeights } from "./tiny-model.ts";

const programs = createPrograms({ threads: 1 });

export const closePrograms = (): Promise<void> => programs.close();

/** The tiny model with some noise on its weights: it mostly agrees. */
export function noisyModel(noise = 0.02): DraftModel {
  const rng = createRng("noise");
  const weights = Object.fromEntries(
    Object.entries(tinyWeights()).map(([name, values]) => [name, values.map((value) => value + noise * rng.normal())]),
  );
  return {
    config: tinyConfig,
    weights,
    program: (shape) => programs.get(JSON.stringify(shape), () => decodeGraph(tinyConfig, shape)),
  };
}

/** Heads for the tiny model, trained on what it says at temperature 1 in conversations of their own. */
export async function tinyHeads(options: DraftHeadsOptions = {}): Promise<TrainedHeads> {
  const weights = createWeights(tinyConfig);
  for (const [name, values] of Object.entries(tinyWeights())) weights.views[name]?.set(values);
  const model = await wrapModel({ config: tinyConfig, weights }, { threads: 1 });
  try {
    const rows = await (tinyRows ??= saidBy(model));
    return await trainDraftHeads(model, rows, { steps: 300, threads: 1, ...options });
  } finally {
    await model.close();
  }
}

let tinyRows: Promise<{ ids: Int32Array; mask: Uint8Array }[]> | undefined;

function saidBy(model: LocalPolicy): NonNullable<typeof tinyRows> {
  const rng = createRng("read");
  const rows = Array.from({ length: 96 }, async (_, number) => {
    const talk = model.open({ seed: `heads ${number}` });
    const read = Array.from({ length: 1 + rng.int(20) }, () => rng.int(tinyConfig.vocabularySize));
    talk.extend(read);
    await talk.sample({ maxTokens: 60 });
    const ids = Int32Array.from(talk.tokens);
    return { ids, mask: Uint8Array.from(ids, (__, at) => (at < read.length ? 0 : 1)) };
  });
  return Promise.all(rows);
}

/** At work in a sampler. */
export function headsAtWork({ heads: { weights, inner } }: TrainedHeads): DraftHeads {
  return {
    weights: weights.views,
    program: (rows) => programs.get(`heads ${rows}`, () => guessGraph(tinyConfig, rows, inner)),
  };
}

/** A sampler that counts the passes of its model, all of them and those with drafts, and how many rows these had. */
export function counted(
  drafting: DraftingOptions,
  maxRows = 16,
): { readonly sampler: Sampler; readonly passes: { all: number; drafted: number; rows: Set<number> } } {
  const passes = { all: 0, drafted: 0, rows: new Set<number>() };
  const sampler = createSampler({
    config: tinyConfig,
    weights: tinyWeights(),
    version: () => 0,
    maxRows,
    ...drafting,
    program: async (shape) => {
      const program = await programs.get(JSON.stringify(shape), () => decodeGraph(tinyConfig, shape));
      return {
        ...program,
        run: (feeds, into) => {
          passes.all += 1;
          if (shape.tree === true) {
            passes.drafted += 1;
            passes.rows.add(shape.rows);
          }
          return program.run(feeds, into);
        },
      };
    },
  });
  return { sampler, passes };
}

/** Conversations of several turns, the same for every sampler. */
export async function said(
  sampler: Sampler,
  numbers: number,
  options: Omit<SampleOptions, "maxTokens">,
): Promise<Sampled[]> {
  const talks = Array.from({ length: numbers }, async (_, number) => {
    const rng = createRng(`talk ${number}`);
    const talk = sampler.open({ seed: number });
    const turns: Sampled[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      talk.extend(Array.from({ length: 1 + rng.int(20) }, () => rng.int(tinyConfig.vocabularySize)));
      turns.push(await talk.sample({ maxTokens: 24, ...options }));
    }
    talk.close();
    return turns;
  });
  return (await Promise.all(talks)).flat();
}

export const plainly = (turns: readonly Sampled[]): number[][] => turns.map(({ ids }) => [...ids]);

/** 10,000 responses of three tokens are distributed as the model itself says (chi-square, p > 0.01). */
export async function expectItsDistribution(sampler: Sampler): Promise<void> {
  const prompt = [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4];
  const draws = 10_000;
  // Every response of three tokens that came; the second is guessed, how often, and its probability by the model itself.
  const [counts, expected] = [new Map<string, number>(), new Map<string, number>()];
  for (let from = 0; from < draws; from += 500) {
    const batch = await Promise.all(
      Array.from({ length: 500 }, (_, at) => {
        const talk = sampler.open({ seed: `draw ${from + at}` });
        talk.extend(prompt);
        return talk.sample({ maxTokens: 3 });
      }),
    );
    for (const { ids, logprobs } of batch) {
      const key = ids.join(" ");
      counts.set(key, (counts.get(key) ?? 0) + 1);
      expected.set(key, draws * Math.exp(logprobs.reduce((sum, value) => sum + value, 0)));
    }
  }
  // Rare ones count together, with those that never came.
  const common = [...expected].filter(([, mean]) => mean >= 5);
  const rest = draws - common.reduce((sum, [, mean]) => sum + mean, 0);
  const restSeen = draws - common.reduce((sum, [key]) => sum + (counts.get(key) ?? 0), 0);
  const terms = common.map(([key, mean]) => ((counts.get(key) ?? 0) - mean) ** 2 / mean);
  const chi = terms.reduce((sum, term) => sum + term, 0) + (restSeen - rest) ** 2 / rest;
  // The 0.99 quantile of chi-square by Wilson and Hilferty.
  const free = common.length;
  expect(free).toBeGreaterThan(50);
  expect(chi).toBeLessThan(free * (1 - 2 / (9 * free) + 2.3263 * Math.sqrt(2 / (9 * free))) ** 3);
}
