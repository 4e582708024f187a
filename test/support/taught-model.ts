/** A model of a few numbers whose scores are its weights: enough to see which weights a teacher scores with. */
import type { TaughtModel, Teacher } from "../../packages/core/src/distill/teacher.ts";
import type { RowStatistics, Scorer } from "../../packages/policy/src/policy/policy.ts";
import type { Weights } from "../../packages/policy/src/policy/local/weights.ts";

const seen = new WeakMap<Scorer, Float32Array>();

export function taughtModel(values: readonly number[]): TaughtModel {
  const flat = Float32Array.from(values);
  const weights: Weights = { flat, matrices: 0, views: {}, places: new Map() };
  const config = { contextLength: 64, vocabularySize: 8 };
  return { config, weights, ...scorer(flat), scorerWith: (other) => remember(scorer(other.flat), other.flat) };
}

/** The weights behind a teacher's scorer, as they are now. */
export function scoredWith(teacher: Teacher): number[] {
  return [...(seen.get(teacher.scorer) ?? [])];
}

function scorer(flat: Float32Array): Scorer {
  const score = async (): Promise<RowStatistics[]> => await Promise.resolve([{ logprob: flat }]);
  return { statistics: ["logprob"], score };
}

function remember(made: Scorer, flat: Float32Array): Scorer {
  seen.set(made, flat);
  return made;
}
