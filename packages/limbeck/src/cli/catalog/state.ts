/** How far a published system has come here. */
export type State = "works" | "by construction" | "measured" | "part" | "not yet";

/** In the order of the lists: the words that show it, its mark, what its reason is called, and what it means. */
export const STATES: Readonly<
  Record<State, { readonly label: string; readonly mark: string; readonly reason: string; readonly means: string }>
> = {
  works: {
    label: "works",
    mark: "✓",
    reason: "departs",
    means:
      "a command runs the mechanism, a metric falls when it is switched off, and a test or a measurement on five seeds or more shows what the row asks for",
  },
  "by construction": {
    label: "by construction",
    mark: "○",
    reason: "by construction",
    means: "it runs, and what the row asks for is shown in a world or script made so that it must hold",
  },
  measured: {
    label: "measured, not reproduced",
    mark: "≈",
    reason: "measured",
    means: "it runs and was measured; what the row asks for was not found",
  },
  part: { label: "part", mark: "◐", reason: "missing", means: "something of it runs; what is missing is said" },
  "not yet": { label: "not yet", mark: "·", reason: "why not", means: "nothing of it runs; what it waits for is said" },
};

export const STATE_NAMES = Object.keys(STATES) as readonly State[];
