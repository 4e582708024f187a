/** The contract of a way to train judges: what it plants, what it trains, and what it measures on samples it has not seen. */
import type { MethodInfo } from "limbeck-base/base/method-info";
import type { OptionTable, OptionValues } from "limbeck-base/base/option-table";
import type { WordJudge } from "./word-judge.ts";

/** Figures by name: what was measured on what was held out. */
export type JudgingMetrics = Readonly<Record<string, number>>;

/** What a judge is asked about: steps of the ledger, or texts that its method makes. */
export type Reads = "bookings" | "texts";

/** A judge that is worth keeping. */
export interface KeptJudge {
  readonly judge: WordJudge;
  readonly reads: Reads;
}

export interface Judging<Options extends OptionTable = OptionTable> {
  readonly info: MethodInfo;
  readonly options: Options;
  /** Same seed, same figures, and the judge that they are about. */
  run(
    options: OptionValues<Options>,
    seed: number,
  ): Promise<{ readonly metrics: JudgingMetrics; readonly kept: KeptJudge }>;
}

export function defineJudging<const Options extends OptionTable>(definition: Judging<Options>): Judging {
  // The registry parses options by the same table before it calls.
  return definition as unknown as Judging;
}
