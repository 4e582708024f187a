/**
 * Trains draft heads on the policy's own responses: the states behind their tokens are computed once, then a small cell learns
 * to foretell the next distributions from them. The model stays as it is.
 *
 * Paper: Breaking Entropy Bounds: Accelerating RL Training via MTP with Rejection Sampling (Bebop). The loss is the total variation over all guesses in a
 * row, and not the cross-entropy, since a guess is kept as often as both distributions agree.
 */
import { checkOptions, may } from "limbeck-base/base/options";
import { createRng, shuffle } from "limbeck-base/base/rng";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import type { ScoreRow } from "../../policy.ts";
import { createAdamKernel } from "../adam-kernel.ts";
import { adamStep, type AdamState } from "../adam.ts";
import type { LocalPolicy } from "../local-policy.ts";
import { EMBEDDINGS, headName, type ModelConfig } from "../model-config.ts";
import { createPrograms } from "../programs.ts";
import { layOut, refuseQuantised, viewsOf, type Weights } from "../weights.ts";
import { draftHeadShapes, lossGraph, WIDER, type DraftHeadsParts, type HeadLoss } from "./draft-heads.ts";

export interface DraftHeadsOptions {
  /** "tv" (total variation over all guesses in a row) or "ce" (cross-entropy). Default: "tv". */
  readonly loss?: HeadLoss;
  /** Words that are guessed in a row while training. Default: 4. */
  readonly depth?: number;
  /** Updates. Default: 600. */
  readonly steps?: number;
  /** Places of an update. Default: 64. */
  readonly batch?: number;
  /** Default: 0.002; it falls to a tenth along half a cosine. */
  readonly learningRate?: number;
  /** Share of the rows that is kept for measuring. Default: 0.1. */
  readonly heldOut?: number;
  /** What the draws will be made with. Default: 1. */
  readonly temperature?: number;
  readonly seed?: number;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly onStep?: (step: { readonly step: number; readonly loss: number }) => void;
}

export const DRAFT_HEADS_CHECKS = {
  depth: may.count,
  steps: may.count,
  batch: may.count,
  learningRate: may.amount,
  heldOut: may.share,
  temperature: may.positive,
  seed: may.whole,
  threads: may.count,
} as const;

export interface TrainedHeads {
  readonly heads: DraftHeadsParts;
  /** Places that were learnt from, and those kept for measuring. */
  readonly places: number;
  readonly heldOut: number;
  /** On the held-out places, how much of each guess in a row rejection sampling would keep where those before it were right. */
  readonly accepted: readonly number[];
  /** Tokens of a pass with `depth` guesses, as these shares say: 1 + a1 + a1 a2 + … */
  readonly tokensPerPass: number;
}

/** Tokens of the policy, and the states that predicted them. */
interface Places {
  readonly states: Float32Array;
  readonly tokens: Int32Array;
  /** How many more words of the same answer follow. */
  readonly follow: Int32Array;
}

/** With the total variation alone, words that the heads do not know yet would pull on nothing. */
const BY_CROSS_ENTROPY = 1 / 3;

/**
 * Heads that predict a model's next tokens, from rows of its responses: tokens, and a mask of its own.
 *
 * @example
 * import { bundledModel } from "limbeck/local";
 *
 * const model = await openModel(bundledModel("countdown"));
 * const rows = [{ ids: Int32Array.of(1, 2, 3, 4, 5, 6) }];
 * const { heads, accepted } = await trainDraftHeads(model, rows, { steps: 2, depth: 2 });
 * console.log(heads.inner, accepted.length); // 256 2
 * await model.close();
 */
export async function trainDraftHeads(
  model: LocalPolicy,
  rows: readonly ScoreRow[],
  options: DraftHeadsOptions = {},
): Promise<TrainedHeads> {
  checkOptions("trainDraftHeads", options, DRAFT_HEADS_CHECKS);
  const { config, weights } = model;
  refuseQuantised(weights, "No draft heads are trained", "Open the model with weights float32.");
  const { depth = 4, steps = 600, batch = 64, learningRate = 0.002, heldOut = 0.1, seed = 0, signal } = options;
  const rng = createRng(seed).split("draft heads");
  const order = shuffle([...rows.keys()], rng.split("rows"));
  const kept = order.length < 2 ? 0 : Math.min(order.length - 1, Math.ceil(order.length * heldOut));
  const pick = (numbers: readonly number[]): ScoreRow[] => numbers.map((number) => rows[number] as ScoreRow);
  const places = await placesOf(model, pick(order.slice(kept)), signal);
  const measured = kept === 0 ? places : await placesOf(model, pick(order.slice(0, kept)), signal);
  const anchors = anchorsOf(places);
  if (anchors.length === 0) {
    throw new EngineError(
      "bad-input",
      `There is nothing to train draft heads on: none of ${rows.length} rows has two tokens in a row that the policy said.`,
    );
  }
  const inner = WIDER * config.hiddenSize;
  const heads = { inner, weights: startOf(config, inner, seed) };
  const programs = createPrograms(options.threads === undefined ? {} : { threads: options.threads });
  const shape = { rows: batch, depth, inner };
  const feeds = (from: Places, chosen: readonly number[]): ReturnType<typeof feedsOf> =>
    feedsOf(config, from, chosen, shape, options.temperature ?? 1);
  const words = Object.fromEntries(
    [EMBEDDINGS, headName(config)].map((name) => [name, weights.views[name] as Float32Array]),
  );
  const held = { ...words, ...heads.weights.views };
  try {
    const learn = async (loss: HeadLoss, chosen: readonly number[]): Promise<readonly [number, Float32Array]> => {
      const program = await programs.get(loss, () => lossGraph(config, shape, loss));
      const results = await program.run({ ...held, ...feeds(places, chosen) });
      const flat = new Float32Array(heads.weights.flat.length);
      for (const [name, view] of Object.entries(viewsOf(flat, heads.weights.places))) {
        view.set(results[`gradient ${name}`] as Float32Array);
      }
      return [(results["loss"] as Float32Array)[0] as number, flat];
    };
    const kernel = createAdamKernel();
    const { flat, matrices } = heads.weights;
    const state: AdamState = { step: 0, first: new Float32Array(flat.length), second: new Float32Array(flat.length) };
    const source = rng.split("places");
    for (let step = 0; step < steps; step += 1) {
      throwIfAborted(signal);
      const byHand = options.loss === "ce" || step < BY_CROSS_ENTROPY * steps;
      const chosen = Array.from({ length: batch }, () => anchors[source.int(anchors.length)] as number);
      const [loss, gradients] = await learn(byHand ? "ce" : "tv", chosen);
      const rate = learningRate * (0.1 + 0.45 * (1 + Math.cos((Math.PI * step) / steps)));
      const arrays = { parameters: flat, gradients, decayed: matrices, scale: 1 };
      adamStep(arrays, state, { learningRate: rate, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0 }, kernel);
      options.onStep?.({ step: step + 1, loss });
    }
    const program = await programs.get("measure", () => lossGraph(config, shape, "tv", false));
    const accepted = await acceptedOn(measured, shape, async (chosen) =>
      program.run({ ...held, ...feeds(measured, chosen) }),
    );
    let [reach, tokensPerPass] = [1, 1];
    for (const share of accepted) {
      reach *= share;
      tokensPerPass += reach;
    }
    return {
      heads,
      places: anchors.length,
      heldOut: kept === 0 ? 0 : anchorsOf(measured).length,
      accepted,
      tokensPerPass,
    };
  } finally {
    await programs.close();
  }
}

/** They begin with what is known already: the next state is the last one. */
function startOf(config: ModelConfig, inner: number, seed: number): Weights {
  const weights = layOut(draftHeadShapes(config, inner));
  const rng = createRng(seed).split("draft heads begin");
  const up = weights.views["draft_heads.up.weight"] as Float32Array;
  const deviation = 1 / Math.sqrt(2 * config.hiddenSize);
  for (let at = 0; at < up.length; at += 1) up[at] = rng.normal() * deviation;
  for (const name of ["state", "word"]) weights.views[`draft_heads.${name}_norm.weight`]?.fill(1);
  return weights;
}

/** Rows at a time: states of long conversations take room until those that count are picked. */
const ROWS = 16;

async function placesOf(model: LocalPolicy, rows: readonly ScoreRow[], signal?: AbortSignal): Promise<Places> {
  const states: Float32Array[] = [];
  const tokens: number[] = [];
  const follow: number[] = [];
  for (let from = 0; from < rows.length; from += ROWS) {
    const some = rows.slice(from, from + ROWS);
    states.push(...(await model.states(some, signal)));
    for (const { ids, mask } of some) {
      let run = 0;
      const backwards: (readonly [number, number])[] = [];
      for (let token = ids.length - 1; token > 0; token -= 1) {
        const isOwn = mask?.[token] !== 0;
        if (isOwn) backwards.push([ids[token] as number, run]);
        run = isOwn ? run + 1 : 0;
      }
      for (const [id, count] of backwards.toReversed()) {
        tokens.push(id);
        follow.push(count);
      }
    }
  }
  const all = new Float32Array(states.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const some of states) {
    all.set(some, place);
    place += some.length;
  }
  return { states: all, tokens: Int32Array.from(tokens), follow: Int32Array.from(follow) };
}

function anchorsOf({ follow }: Places): number[] {
  return [...follow.keys()].filter((place) => (follow[place] as number) > 0);
}

interface BatchShape {
  readonly rows: number;
  readonly depth: number;
}

function feedsOf(
  { hiddenSize }: ModelConfig,
  { states, tokens, follow }: Places,
  chosen: readonly number[],
  { rows, depth }: BatchShape,
  temperature: number,
): Record<string, Float32Array | BigInt64Array> {
  const at = (place: number): Float32Array => states.subarray(place * hiddenSize, (place + 1) * hiddenSize);
  const state = new Float32Array(rows * hiddenSize);
  const feeds: Record<string, Float32Array | BigInt64Array> = {
    state,
    sharpness: new Float32Array(rows).fill(1 / temperature),
  };
  chosen.forEach((place, row) => state.set(at(place), row * hiddenSize));
  for (let guess = 0; guess < depth; guess += 1) {
    const [ids, weight] = [new BigInt64Array(rows), new Float32Array(rows)];
    const truth = new Float32Array(rows * hiddenSize);
    chosen.forEach((place, row) => {
      if ((follow[place] as number) <= guess) return;
      ids[row] = BigInt(tokens[place + guess] as number);
      weight[row] = 1 / rows;
      truth.set(at(place + guess + 1), row * hiddenSize);
    });
    Object.assign(feeds, { [`ids.${guess}`]: ids, [`weight.${guess}`]: weight, [`truth.${guess}`]: truth });
  }
  return feeds;
}

/** Means over all places that have so many words after them. */
async function acceptedOn(
  places: Places,
  { rows, depth }: BatchShape,
  run: (chosen: readonly number[]) => Promise<Readonly<Record<string, unknown>>>,
): Promise<number[]> {
  const anchors = anchorsOf(places);
  const [sums, counts] = [new Float64Array(depth), new Float64Array(depth)];
  for (let from = 0; from < anchors.length; from += rows) {
    const chosen = anchors.slice(from, from + rows);
    const results = await run(chosen);
    for (let guess = 0; guess < depth; guess += 1) {
      const accepted = results[`accepted.${guess}`] as Float32Array;
      chosen.forEach((place, row) => {
        if ((places.follow[place] as number) <= guess) return;
        sums[guess] = (sums[guess] as number) + (accepted[row] as number);
        counts[guess] = (counts[guess] as number) + 1;
      });
    }
  }
  return [...sums].map((sum, guess) => sum / Math.max(1, counts[guess] as number));
}
