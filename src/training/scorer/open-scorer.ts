/** A trained scorer at work: the one thing that rewards, searches and choices ask for a value. */
import { EngineError } from "../../base/index.ts";
import { headsIn } from "../../policy/local/heads.ts";
import { openModel } from "../../policy/local/index.ts";
import type { Step, Trajectory } from "../../trajectory/index.ts";
import { readCard } from "./card.ts";
import { sigmoid } from "./losses.ts";
import { headScores } from "./train-scorer.ts";

export interface TrainedScorer {
  /** What it foretells. */
  readonly labels: string;
  /** A chance from 0 to 1 after each step: `scoreSteps` of the reward `process`. */
  scoreSteps(trajectory: Trajectory, steps: readonly Step[]): Promise<number[]>;
  /** A chance after the last token of each: the value of a state in a search. */
  scoreTokens(contexts: readonly Int32Array[]): Promise<number[]>;
  close(): Promise<void>;
}

/** Opens what `limbeck reward train` wrote. */
export async function openScorer(folder: string, options: { readonly threads?: number } = {}): Promise<TrainedScorer> {
  const { platt, labels } = await readCard(folder);
  const model = await openModel(folder, options);
  if (!headsIn(model.weights.views).includes("quality")) {
    await model.close();
    throw new EngineError(
      "bad-input",
      `"${folder}" has a scorer's card and no head "quality"; its weights are those of something else.`,
    );
  }
  const chance = (output: number): number => sigmoid(platt.slope * output + platt.shift);
  const { vocabularySize } = model.config;
  const scoreTokens = async (contexts: readonly Int32Array[]): Promise<number[]> => {
    const rows = contexts.map((ids) => ({ ids, mask: lastOnly(ids.length) }));
    return (await headScores(model, rows)).map((outputs) => chance(outputs.at(-1) as number));
  };
  return {
    labels,
    scoreTokens,
    scoreSteps: async ({ streams, steps: own }, steps) => {
      if (steps.length !== own.length)
        throw new EngineError("bad-value", "the scorer reads whole episodes, and this is a branch of one");
      const contexts = steps.map(({ index, span }) => {
        const ids = span === undefined ? undefined : streams[span.stream]?.ids.subarray(0, span.end);
        if (ids === undefined || ids.length === 0) throw new EngineError("bad-value", `step ${index} has no tokens`);
        if (ids.some((id) => id >= vocabularySize))
          throw new EngineError("bad-value", `step ${index} has tokens of another model`);
        return ids;
      });
      return await scoreTokens(contexts);
    },
    close: () => model.close(),
  };
}

function lastOnly(length: number): Uint8Array {
  const mask = new Uint8Array(length);
  mask[length - 1] = 1;
  return mask;
}
