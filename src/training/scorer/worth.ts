/** What a trained scorer is worth on tasks that it has not seen, and how its outputs become chances. */
import { withoutUndefined } from "../../base/index.ts";
import { bundledFolder } from "../../policy/local/bundled-model.ts";
import { openModel } from "../../policy/local/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { ScorerCard } from "./card.ts";
import { answerMarks, ownWordsOf, type OwnWords } from "./likelihood.ts";
import type { Platt } from "./measures.ts";
import { OUTLOOK } from "./outlook.ts";
import { fittedWithWords, saidOf, type Reader } from "./readers.ts";
import { reportOf } from "./report.ts";
import type { ScorerRow } from "./rows.ts";
import type { TrainScorerOptions } from "./train-scorer-options.ts";

/** Where outcomes are foretold, the places that it will be asked at; of other labels all places that have one. */
export function judged({ labels = "outcome", kind }: TrainScorerOptions): 0 | 1 | "labelled" {
  if (labels !== "outcome" && labels !== OUTLOOK) return "labelled";
  return kind === "states" ? 1 : 0;
}

interface Judging {
  readonly reader: Reader;
  readonly platt: Platt;
  readonly early: 0 | 1;
  readonly checking: readonly ScorerRow[];
  readonly test: readonly Trajectory[];
}

/** What it is worth; with what the model as it plays thinks of its own words, where that is asked for. */
export async function judgedBy(
  { reader, platt: plain, early, checking, test }: Judging,
  options: TrainScorerOptions,
): Promise<Pick<ScorerCard, "platt" | "measures">> {
  const { likelihood = false, model: given, threads, signal } = options;
  if (!likelihood) {
    return { platt: plain, measures: reportOf(test, await saidOf(reader, test, { platt: plain, early }, signal)) };
  }
  const playing = await openModel(bundledFolder(given) ?? given, withoutUndefined({ threads }));
  try {
    const marks = answerMarks(playing);
    const words = (rows: readonly ScorerRow[]): Promise<OwnWords[]> => ownWordsOf(playing, marks, rows, signal);
    const platt = await fittedWithWords(reader, words, checking, judged(options), signal);
    return { platt, measures: reportOf(test, await saidOf(reader, test, { platt, early, words }, signal)) };
  } finally {
    await playing.close();
  }
}
