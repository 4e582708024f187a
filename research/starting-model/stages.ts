/** The stages of the training, one after the other; a run that was stopped goes on with the update after its last save. */
import { objectives, trainSupervised } from "limbeck/update";
import { createSchedule } from "limbeck/policy";
import type { LocalModel } from "limbeck";
import { unpackRow } from "./rows.ts";
import type { Rates, Training } from "./settings.ts";

/** A stage and where its rows come from. */
export interface PlannedStage extends Rates {
  readonly rows: () => Promise<readonly Uint16Array[]>;
}

export interface TrainStagesOptions {
  readonly model: LocalModel;
  readonly training: Training;
  readonly stages: readonly PlannedStage[];
  /** Saves the model with the number of updates that are done, over all stages. */
  readonly save: (updates: number) => Promise<void>;
  readonly say: (line: string) => void;
}

export async function trainStages(options: TrainStagesOptions): Promise<void> {
  const { model, training, stages, save, say } = options;
  const { clipNorm, seed, readingWeight, saveEvery } = training;
  const done = Number(model.progress["updates"] ?? 0);
  const started = process.hrtime.bigint();
  const seconds = (): number => Number(process.hrtime.bigint() - started) / 1e9;
  let before = 0;
  for (const [at, stage] of stages.entries()) {
    const { updates, batchRows, learningRate, finalLearningRate, warmupUpdates } = stage;
    const [first, from] = [before, Math.max(0, done - before)];
    before += updates;
    if (from >= updates) continue;
    const rows = (await stage.rows()).map((packed) => unpackRow(packed, readingWeight));
    say(`stage ${at + 1}: ${rows.length} lessons, from update ${from} (${seconds().toFixed(0)} s)`);
    const begun = seconds();
    let read = 0;
    await trainSupervised(model, rows, {
      objective: objectives["cross-entropy"].create(),
      schedule: createSchedule({
        kind: "cosine",
        learningRate,
        finalLearningRate,
        steps: updates,
        warmupSteps: warmupUpdates,
      }),
      steps: updates,
      from,
      batchRows,
      seed: `${seed} stage ${at + 1}`,
      clipNorm,
      onStep: async ({ step, loss, tokens }) => {
        read += tokens;
        if (step % saveEvery !== 0 && step < updates) return;
        const rate = (read / (seconds() - begun)).toFixed(0);
        say(`update ${step} of ${updates}: loss ${loss.toFixed(4)}, ${rate} tokens/s (${seconds().toFixed(0)} s)`);
        await save(first + step);
      },
    });
  }
}
