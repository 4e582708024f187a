/** Small batches in the form of `limbeck credit --in`, for the worked examples. */
import type { Json } from "limbeck-base/base/json";
import type { Example } from "./credit.ts";

interface ExampleStep {
  readonly state?: string;
  readonly reward?: number;
  readonly valid?: boolean;
  readonly mask?: readonly number[];
  readonly [field: string]: Json | undefined;
}

/** Trajectories of one task, each with its outcome and its steps. */
export function episodes(
  trajectories: Readonly<Record<string, { readonly outcome: number; readonly steps: readonly ExampleStep[] }>>,
  task = "task",
): Json {
  const entries = Object.entries(trajectories);
  return {
    rows: entries.flatMap(([trajectory, { steps }]) =>
      steps.map((step, index): Json => {
        const given = Object.entries(step).filter((pair): pair is [string, Json] => pair[1] !== undefined);
        return { task, trajectory, step: index, valid: true, mask: [1], ...Object.fromEntries(given) };
      }),
    ),
    trajectories: Object.fromEntries(
      entries.map(([id, { outcome }]): [string, Json] => [id, { outcome, success: outcome >= 1 }]),
    ),
  };
}

/** Single answers to one prompt, with these scores; `mask` is the response of each. */
export function answers(scores: readonly number[], fields: readonly ExampleStep[] = []): Json {
  return episodes(
    Object.fromEntries(scores.map((outcome, index) => [`r${index}`, { outcome, steps: [fields[index] ?? {}] }])),
  );
}

/**
 * A tree of two levels: each branch of the root has leaves with these outcomes. The first leaf's trajectory holds the
 * branch's own step, the others leave it there. Rows: a branch, its leaves, the next branch.
 */
export function forks(
  branches: Readonly<Record<string, readonly number[]>>,
  fields: (branch: string, leaf: number | null) => ExampleStep = () => ({}),
): Json {
  const entries = Object.entries(branches).flatMap(([name, outcomes]) =>
    outcomes.map((outcome, leaf): [string, { readonly outcome: number; readonly steps: readonly ExampleStep[] }] => {
      const parent = { trajectory: `${name}0`, step: 1 };
      const own = fields(name, leaf);
      const steps = leaf === 0 ? [fields(name, null), own] : [{ ...own, step: 1, parent }];
      return [`${name}${leaf}`, { outcome, steps }];
    }),
  );
  return episodes(Object.fromEntries(entries));
}

/** An episode by the state and the reward of each step. */
export function visits(outcome: number, ...steps: readonly (readonly [state: string, reward: number])[]) {
  return { outcome, steps: steps.map(([state, reward]) => ({ state, reward })) };
}

/** An episode by the signals of each step. */
export function bySignal(outcome: number, ...steps: readonly Json[]) {
  return { outcome, steps: steps.map((signals) => ({ signals })) };
}

/** How likely the reference answer was before the first turn and after each. */
const nearing = (outcome: number, ...chances: readonly [number, ...number[]]) =>
  bySignal(
    outcome,
    ...chances.slice(1).map((after, at) => ({ answerLogprob: { before: chances[at] ?? after, after } })),
  );

/** With how likely the reference answer was around each turn. */
export const twoSearches: Example = {
  about: "Two searches of two turns and an answer; the first finds the answer at once.",
  batch: episodes({
    X: nearing(1, -2.5, -0.9163, -0.9163, -0.1),
    Y: nearing(0, -2.5, -1.6094, -0.9163, -0.1),
  }),
};

export const taughtAnswer: Example = {
  about: "Three tokens: the teacher likes the first more, the second less, the third as much.",
  batch: episodes({
    X: {
      outcome: 0,
      steps: [{ mask: [1, 1, 1], logprobs: { old: [-1, -0.2, -3], episodeTeacher: [-0.7, -0.9, -3] } }],
    },
  }),
};
