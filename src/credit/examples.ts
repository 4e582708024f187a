/** Small batches in the form of `limbeck credit --in`, for the worked examples. */
import type { Json } from "../trajectory/index.ts";

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
