/** One row with a teacher, for objectives that learn from one: the first position is the prompt. */
import type { Objective } from "../../packages/policy/src/policy/objective.ts";

/** methods.md 4, the toolbox's example. */
export const TEACHER = [0.7, 0.2, 0.1];
export const STUDENT = [0.5, 0.4, 0.1];

export const logs = (shares: readonly number[]): number[] => shares.map((share) => Math.log(share));

interface Given {
  readonly now: readonly number[];
  readonly old: readonly number[];
  readonly teacher: readonly number[];
  /** Three words at every token. */
  readonly words?: { readonly now: readonly (readonly number[])[]; readonly teacher: readonly (readonly number[])[] };
}

const WIDTH = 3;

export function computeTaught(objective: Objective, { now, old, teacher, words }: Given) {
  const shifted = (values: readonly number[]): Float64Array => Float64Array.from([0, ...values]);
  const flat = (values: readonly (readonly number[])[]): number[] => [
    ...Array.from({ length: WIDTH }, () => 0),
    ...values.flat(),
  ];
  const length = now.length + 1;
  const none = now.map(() => Array.from({ length: WIDTH }, () => Math.log(1 / WIDTH)));
  const row = {
    ids: new Int32Array(length),
    mask: new Uint8Array(length).fill(1, 1),
    oldLogprobs: shifted(old),
    teacherLogprobs: shifted(teacher),
    candidates: { count: WIDTH, ids: new Int32Array(length * WIDTH) },
    teacherCandidates: Float32Array.from(flat(words?.teacher ?? none)),
  };
  const statistics = { logprob: [shifted(now)], candidates: [Float64Array.from(flat(words?.now ?? none))] };
  const { loss, weights, metrics = {} } = objective.compute(statistics, statistics, [row]);
  return { loss, onSampled: [...(weights.logprob?.[0] ?? [])].slice(1), metrics };
}
