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
      "Different tokens have nothing in common unless roseWith is given a likeness, of embeddings for example.",
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
 * The same with a likeness of tokens.
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
  likeness: TokenLikeness | undefined,
): Promise<void> {
  const rng = scope.rng.split("restarts");
  const labelFor = createLabels();
  const walks: Walk[] = [];
  let places: TokenCandidates[] = [];
  const value = ({ ids, probabilities }: TokenCandidates): number =>
    divergence(
      {
        probabilities,
        ...(likeness === undefined
          ? {}
          : { cosine: (one: number, other: number) => likeness(ids[one] as number, ids[other] as number) }),
      },
      options.metric,
    );
  for (const member of range(options.size)) {
    const fromRoot = rng.float() < options.restart || member === 0;
    const best = fromRoot ? undefined : furthestApart(places, value);
    const walk =
      best === undefined
        ? await scope.open(task, member, { bookmarks: true })
        : await best.walk.branchAt(pointAt(best), labelFor(best.walk));
    if (walk === undefined) return;
    walks.push(walk);
    await walk.advance();
    if (best !== undefined) places = places.filter((place) => place !== best);
    const found = walk.ending === "failed" ? [] : await candidatesOf(scope, walk, walks, options.candidates);
    places.push(...found.filter((place) => !place.last && !isBirthplace(walk, place)));
  }
}

/** The first of the largest. */
function furthestApart(
  places: readonly TokenCandidates[],
  value: (place: TokenCandidates) => number,
): TokenCandidates | undefined {
  let [best, most] = [undefined as TokenCandidates | undefined, Number.NEGATIVE_INFINITY];
  for (const place of places) {
    const own = value(place);
    if (own > most) [best, most] = [place, own];
  }
  return best;
}
