/** The contract of a way to train judges: what it plants, what it trains, and what it measures on samples it has not seen. */
import type { MethodInfo, OptionTable, OptionValues } from "../../base/index.ts";

/** Figures by name: what was measured on what was held out. */
export type JudgingMetrics = Readonly<Record<string, number>>;

export interface Judging<Options extends OptionTable = OptionTable> {
  readonly info: MethodInfo;
  readonly options: Options;
  /** Same seed, same figures. */
  run(options: OptionValues<Options>, seed: number): Promise<JudgingMetrics>;
}

export function defineJudging<const Options extends OptionTable>(definition: Judging<Options>): Judging {
  // The registry parses options by the same table before it calls.
  return definition as unknown as Judging;
}
