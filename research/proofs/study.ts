/** What a learning proof is, and the arms that most of them begin with. */
import type { ArmInput } from "../../packages/training/src/arena/vary.ts";

export interface Study {
  /** The rows of the catalogue that it is about, and what they must show. */
  readonly rows: string;
  readonly env: string;
  readonly envOptions?: Readonly<Record<string, string | number | boolean>>;
  readonly budget: string;
  /** The first is what the others are compared with. */
  readonly arms: readonly [ArmInput, ...ArmInput[]];
  /** Updates between two points of the curve. Default: 5. */
  readonly every?: number;
  /** Success whose first point on the curve is told: what an arm had spent by then. Default: none. */
  readonly target?: number;
  /** Metrics of the updates whose mean is printed beside the comparison. */
  readonly metrics?: readonly string[];
  /** Tasks on which the end and the start are also measured with a fresh skill in the prompt. Default: none. */
  readonly retentionTasks?: number;
  /** Also compare the steps that all final episodes took together, for each of them that was solved. */
  readonly stepsPerSolved?: boolean;
}

export const SMALL = { tasks: 8, group: 8 } as const;
/** Longer houses than the bundled model's own: groups that all fail are common there. */
export const LONG = { dial: "small" } as const;

export const plain = (name: string, settings: NonNullable<ArmInput["settings"]> = {}): ArmInput => ({
  name,
  recipe: "grpo",
  settings: { ...SMALL, ...settings },
});
export const by = (
  strategy: string,
  { name = strategy, settings = {}, ...more }: Partial<ArmInput> & { readonly name?: string } = {},
): ArmInput => ({ name, recipe: "grpo", strategy, settings: { ...SMALL, ...settings }, ...more });

export const POOL = { "tasks.pool": 64 } as const;
export const HOUSEHOLD = { env: "household", budget: "steps=16000" } as const;
/** The same houses with half of the budget. */
export const HOUSEHOLD_SHORT = { env: "household", budget: "steps=8000" } as const;
