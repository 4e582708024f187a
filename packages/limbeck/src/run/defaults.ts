/** Defaults of the library and the command line. */
export const DEFAULTS = {
  /** How many tasks. */
  tasks: { evaluate: 50, rollout: 8, search: 8 },
  seed: 0,
  /** Episodes of each task of an evaluation. */
  samples: 1,
  strategy: "group",
  /** Attempts at a step of a failing world, the first included. */
  attempts: 3,
  search: "best-of-n",
  /** Episodes at work at the same time. */
  concurrency: 64,
  arms: ["grpo", "gigpo", "opid"],
  seeds: 3,
  budget: "steps=8000",
} as const;
