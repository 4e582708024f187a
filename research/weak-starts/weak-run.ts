/** What is kept of one training from a weak start. */
export interface WeakRun {
  readonly arm: string;
  readonly seed: number;
  readonly updates: readonly {
    readonly update: number;
    /** Of the training episodes. */
    readonly success: number;
    readonly episodes: number;
    readonly entropy: number;
    readonly distance?: number;
    readonly seconds: number;
    /** Spent since the first update, by all models. */
    readonly environmentSteps: number;
    readonly sampledTokens: number;
    readonly modelTokens: number;
  }[];
  readonly notices: readonly string[];
  readonly reason?: "finished" | "early-stop" | "stopped";
  /** Held-out tasks; missing while the training goes on. */
  readonly after?: Measured;
}

export interface Measured {
  readonly solved: number;
  readonly tasks: number;
  readonly meanSteps: number;
  readonly invalid: number;
}
