/** ROSE: each further sample begins at the root, or where the alternatives of what was said lead furthest apart. */
import { option } from "../base/index.ts";
import type { Task } from "../trajectory/index.ts";
import { range } from "./ask.ts";
import { branching } from "./effect.ts";
import { defineStrategy, type Scope, type Strategy } from "./strategy.ts";
import { candidatesOf, type TokenCandidates } from "./tree/candidates.ts";
import { divergence, type DivergenceMetric } from "./tree/divergence.ts";
import { createLabels } from "./tree/labels.ts";
import { isBirthplace, pointAt } from "./tree/own-tokens.ts";
import type { Walk } from "../walk/line/walk.ts";
import type { Agent } from "../walk/mind/agent.ts";
import { cosine } from "../walk/tree/alike.ts";

interface RoseOptions {
  readonly size: number;
  readonly restart: number;
  readonly metric: DivergenceMetric;
  readonly candidates: number;
}

/** Similarity in meaning of two tokens, from -1 to 1: the cosine of their embeddings, for example. */
export type TokenLikeness = (one: number, other: number) => number;

export const rose = defineStrategy({
  info: {
    title: "ROSE",
    paper: "ROSE: Reinforced Efficient Reasoning via Semantically Diverse Exploration",
    confidence: "code",
    formula: [
      "samples one after the other: the first from the root; then with chance `restart` from the root, else a branch at the stored token with the largest metric",
      "safe: H * sum over i != j of p_i p_j (1 - cos_ij);   entropy: H;   cosine: -sum p_i p_j cos_ij;   source: H * cosine",
      "H = -sum p ln p over the likely candidates; the branch keeps what stands before the token",
    ],
    meaning: "Branches where what might have been said leads furthest apart in meaning.",
    departures: [
      "The published metric is never above 0 when similarities are positive, so that a certain token wins; here the safe one. Option metric: source.",
      "Candidates at a token are the likeliest of the tokens that the task's rollouts have said, scored by the policy; a whole top-20 is not stored.",
      "cos is that of the policy's own embeddings. Where a policy does not tell them, different tokens have nothing in common; roseWith takes a likeness of one's own.",
      "A place is branched at no more than once. The last token of an answer, which ends it, cannot branch.",
    ],
  },
  needs: ["fork", "tokens", "scorer"],
  effect: branching,
  options: {
    size: option.count(8, "episodes per task"),
    restart: option.share(0.5, "chance of beginning at the root"),
    metric: option.choice("safe", ["safe", "entropy", "cosine", "source"], "how far alternatives lead apart"),
    candidates: option.count(20, "alternatives looked at per token", 2),
  },
  create: (options) => roseWith(options),
});

/**
 * The same with a likeness of tokens in the place of the policy's own embeddings.
 *
 * @example
 * import { bundledModel } from "limbeck/policy/local";
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
    const best = fromRoot ? undefined : furthestApart(places);
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

/** The first of the largest. */
function furthestApart(places: readonly Valued[]): Valued | undefined {
  let [best, most] = [undefined as Valued | undefined, Number.NEGATIVE_INFINITY];
  for (const place of places) if (place.value > most) [best, most] = [place, place.value];
  return best;
}
