/** ROSE: each further sample begins at the root, or where the alternatives to the sampled tokens lead furthest apart. */
import { option } from "limbeck-base/base/option";
import { throwIfAborted } from "limbeck-base/base/errors";
import type { OptionValues } from "limbeck-base/base/option-table";
import { createForest } from "limbeck-base/trajectory/forest";
import { wholeStreams } from "limbeck-base/trajectory/whole-streams";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { isOwnStep, payCall, range } from "./ask.ts";
import { branching } from "./effect.ts";
import { defineStrategy, type Scope, type Strategy, type Walk } from "./strategy.ts";
import { createLabels, isBirthplace, ownTokens, pointAt, type OwnToken } from "./own-tokens.ts";
import type { Agent } from "../walk/mind/agent.ts";
import { firstLargest } from "../walk/shares.ts";
import { cosine } from "../walk/tree/alike.ts";

/** Similarity in meaning of two tokens, from -1 to 1: the cosine of their embeddings, for example. */
export type TokenLikeness = (one: number, other: number) => number;

const options = {
  size: option.count(8, "episodes per task"),
  restart: option.share(0.5, "chance of beginning at the root"),
  metric: option.choice("safe", ["safe", "entropy", "cosine", "source"], "how far alternatives lead apart"),
  candidates: option.count(20, "alternatives looked at per token", 2),
};

type RoseOptions = OptionValues<typeof options>;

export const rose = defineStrategy({
  info: {
    title: "ROSE",
    paper: "ROSE: Reinforced Efficient Reasoning via Semantically Diverse Exploration",
    confidence: "code",
    source:
      "ZiqiZhao1/ROSE-rl @ 2142dc79; verl/workers/rollout/vllm_rollout/vllm_rollout_spmd.py: generate_sequences_loop_entropy",
    formula: [
      "samples one after the other: the first from the root; then with chance `restart` from the root, else a branch at the stored token with the largest metric",
      "safe: H * sum over i != j of p_i p_j (1 - cos_ij);   entropy: H;   cosine: -sum p_i p_j cos_ij;   source: H * cosine",
      "H = -sum p ln p over the likely candidates; the branch keeps what stands before the token",
    ],
    meaning: "Branches where what might have been said leads furthest apart in meaning.",
    departures: [
      "The published metric is never above 0 when similarities are positive, so that a certain token wins; here the safe one. Option metric: source.",
      "Candidates at a token are the likeliest of the tokens that the task's rollouts hold so far, of which the first 64 are scored by the policy; published code has the engine's likeliest 20, and in H the sampled token beside them.",
      "cos is that of the policy's own embeddings as they are now; published code keeps those of the run's first rollout. Where a policy does not tell them, different tokens have nothing in common; roseWith takes a likeness of one's own.",
      "A place is branched at no more than once; published code takes the largest metric again and again, until a later sample has a larger one. The last token of an answer, which ends it, cannot branch.",
    ],
  },
  needs: ["fork", "tokens", "scorer"],
  effect: branching,
  options,
  create: (options) => roseWith(options),
});

/**
 * The same with a likeness of tokens in the place of the policy's own embeddings.
 *
 * @example
 * import { bundledModel } from "limbeck/local";
 *
 * const model = await openModel(bundledModel("household"));
 * const strategy = roseWith({ size: 2, restart: 0.5, metric: "safe", candidates: 4 }, (one, other) => (one === other ? 1 : 0.5));
 * const { trajectories } = await rollout({ env: "household", policy: model, tasks: 1, strategy, maxSteps: 2 });
 * console.log(trajectories.length); // 2
 * await model.close();
 */
export function roseWith(options: RoseOptions, likeness?: TokenLikeness): Strategy {
  return {
    run: async (scope) => {
      await scope.each(scope.tasks, (own, task) => roll(own, task, options, likeness), { walks: options.size });
    },
  };
}

async function roll(
  scope: Scope,
  task: Task,
  options: RoseOptions,
  likeness = ownLikeness(scope.agent),
): Promise<void> {
  const rng = scope.rng.split("restarts");
  const labelFor = createLabels();
  const walks: Walk[] = [];
  let places: Valued[] = [];
  const valued = (place: TokenCandidates): Valued => {
    const { ids, probabilities } = place;
    const cosine = (one: number, other: number): number => likeness(ids[one] as number, ids[other] as number);
    return { ...place, value: divergence({ probabilities, cosine }, options.metric) };
  };
  for (const member of range(options.size)) {
    const fromRoot = rng.float() < options.restart || member === 0;
    const best = fromRoot ? undefined : firstLargest(places, ({ value }) => value);
    const walk =
      best === undefined
        ? await scope.open(task, member, { bookmarks: true })
        : await best.walk.branchAt(pointAt(best), labelFor(best.walk));
    if (walk === undefined) return;
    walks.push(walk);
    await walk.advance();
    if (best !== undefined) places = places.filter((place) => place !== best);
    const found = walk.ending === "failed" ? [] : await candidatesOf(scope, walk, walks, options.candidates);
    places.push(...found.filter((place) => !place.last && !isBirthplace(walk, place)).map(valued));
  }
}

/** A place with how far its alternatives lead apart. */
type Valued = TokenCandidates & { readonly value: number };

/** By the policy's own embeddings; without them different tokens have nothing in common. */
function ownLikeness({ embedding }: Agent): TokenLikeness {
  return embedding === undefined ? () => 0 : (one, other) => cosine(embedding(one), embedding(other));
}

// Alternatives at each token of a walk: the policy's probabilities of tokens that other walks sampled.

/** More are not asked for; of these the most likely few count. */
const MOST_ASKED = 64;

export interface TokenCandidates extends OwnToken {
  readonly walk: Walk;
  /** Likely tokens at this place, the most likely first, and their probabilities. */
  readonly ids: readonly number[];
  readonly probabilities: readonly number[];
}

/** Ids that walks sampled, in order of appearance. */
export function saidIds(walks: readonly Walk[]): number[] {
  return [...new Set(walks.flatMap((walk) => ownTokens(walk).map(({ id }) => id)))].slice(0, MOST_ASKED);
}

/** Candidates at every token of the walk, in one scoring; none when it cannot be paid or fails. */
export async function candidatesOf(
  { agent: { scorer }, purse, signal }: Scope,
  walk: Walk,
  all: readonly Walk[],
  most: number,
): Promise<TokenCandidates[]> {
  const ids = saidIds(all);
  if (scorer === undefined || ids.length < 2) return [];
  if (!payCall(purse)) return [];
  const own = walk.trajectory();
  const forest = createForest(all.map((one) => one.trajectory()));
  const streams = wholeStreams(forest, own);
  const offset = (streams[0]?.ids.length ?? 0) - (own.streams[0]?.ids.length ?? 0);
  const rows = streams.map((stream) => ({
    ids: stream.ids,
    mask: stream.mask,
    candidates: {
      count: ids.length,
      ids: Int32Array.from({ length: stream.ids.length * ids.length }, (_, at) => ids[at % ids.length] as number),
    },
  }));
  try {
    const scores = await scorer.score(rows, { statistics: ["candidates"], signal });
    return ownTokens(walk).flatMap((said) => {
      const span = walk.steps.find(({ index }) => index === said.step && isOwnStep(walk, index))?.span;
      const logprobs = span === undefined ? undefined : scores[span.stream]?.candidates;
      if (span === undefined || logprobs === undefined) return [];
      const at = span.start + said.token + (span.stream === 0 ? offset : 0);
      const likely = ids
        .map((id, place) => ({ id, probability: Math.exp(logprobs[at * ids.length + place] as number) }))
        .filter(({ probability }) => probability > 0)
        .toSorted((left, right) => right.probability - left.probability)
        .slice(0, most);
      return [
        { ...said, walk, ids: likely.map(({ id }) => id), probabilities: likely.map(({ probability }) => probability) },
      ];
    });
  } catch {
    // Without the policy's probabilities there are no candidates here.
    throwIfAborted(signal);
    return [];
  }
}

// ROSE's measures of how far the alternatives at a token lead apart.

export type DivergenceMetric = "safe" | "entropy" | "cosine" | "source";

export interface Alternatives {
  readonly probabilities: readonly number[];
  /** Similarity in meaning of two alternatives. Default: 0: different tokens have nothing in common. */
  readonly cosine?: (one: number, other: number) => number;
}

/**
 * entropy: H = -sum p ln p.   cosine: -sum over i != j of p_i p_j cos_ij.   source: H * cosine, as published; with
 * positive similarities never above 0, so that a certain token wins.   safe: H * sum p_i p_j (1 - cos_ij), never below 0.
 * Fewer than two alternatives: 0.
 */
export function divergence({ probabilities, cosine = () => 0 }: Alternatives, metric: DivergenceMetric): number {
  if (probabilities.length < 2) return 0;
  const entropy = probabilities.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
  if (metric === "entropy") return entropy;
  let [alike, apart] = [0, 0];
  for (const [i, p] of probabilities.entries()) {
    for (const [j, q] of probabilities.entries()) {
      if (i === j) continue;
      const likeness = cosine(i, j);
      alike += p * q * likeness;
      apart += p * q * (1 - likeness);
    }
  }
  if (metric === "cosine") return -alike;
  return entropy * (metric === "source" ? -alike : apart);
}
