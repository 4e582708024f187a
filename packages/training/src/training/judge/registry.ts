/** The ways to train judges, by name. A new one is a file, a test and a line here. */
import { checkOptions, may, resolveOptions } from "limbeck-base/base/options";
import { lookUp } from "limbeck-base/base/registry";
import type { Judging, JudgingMetrics, KeptJudge } from "./judging.ts";
import { multiCritique } from "./multi-critique.ts";
import { pathJudge } from "./path-judge.ts";
import { principleRounds } from "./principle-rounds.ts";
import { rebuttal } from "./rebuttal.ts";
import { stances } from "./stances.ts";

export const judgings = {
  "multi-critique": multiCritique,
  "path-judge": pathJudge,
  "principle-rounds": principleRounds,
  rebuttal,
  stances,
} as const satisfies Record<string, Judging>;

/** Trains the judges of this name and measures them on what was held out. */
export async function trainJudge(
  name: string,
  options: Readonly<Record<string, unknown>> = {},
  seed = 1,
): Promise<{ readonly metrics: JudgingMetrics; readonly kept: KeptJudge }> {
  checkOptions("trainJudge", { seed }, { seed: may.whole });
  const judging = lookUp<Judging>(judgings, name, "training of judges");
  return await judging.run(resolveOptions(judging.options, options, name), seed);
}

/** The figures alone. */
export async function runJudging(
  name: string,
  options: Readonly<Record<string, unknown>> = {},
  seed = 1,
): Promise<JudgingMetrics> {
  return (await trainJudge(name, options, seed)).metrics;
}
