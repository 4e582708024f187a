/**
 * Trains a tiny model and saves it after every step, until it is told to die or is done. A process of its own, so that it
 * can be killed at any moment.
 *
 *     kill-trainer FOLDER STEPS [wait]
 *
 * With "wait" it stays when it is done, so that whoever wants to kill it always can.
 */
import { existsSync } from "node:fs";
import { createRng, restoreRng, type RngState } from "../../packages/base/src/base/rng.ts";
import type { Objective, TrainRow } from "../../packages/policy/src/policy/objective.ts";
import { createModel, openModel } from "../../packages/policy/src/policy/local/open-model.ts";
import { tinyConfig } from "./tiny-model.ts";

const cloning: Objective = {
  needs: ["logprob"],
  compute: ({ logprob = [] }) => {
    const count = logprob.reduce((total, row) => total + row.length - 1, 0);
    const weights = logprob.map((row) => row.map((_, at) => (at === 0 ? 0 : -1 / count)));
    const loss = -logprob.reduce((total, row) => total + row.reduce((sum, value) => sum + value, 0), 0) / count;
    return { loss, weights: { logprob: weights } };
  },
};

const [folder = "", steps = "0", wait] = process.argv.slice(2);
const options = { threads: 1, name: "trained" };
const resumed = existsSync(folder);
const model = resumed
  ? await openModel(folder, { ...options, resume: true })
  : await createModel(tinyConfig, { ...options, seed: "trainer" });
// The data come from a generator whose state is saved with the model: a resumed run draws what comes next.
const rng = resumed ? restoreRng(model.progress["rng"] as RngState) : createRng("data");

function nextRow(): TrainRow {
  const start = rng.int(10);
  const ids = Int32Array.from({ length: 6 + rng.int(8) }, (_, at) => (start + at * (1 + (start % 3))) % 29);
  return { ids, mask: new Uint8Array(ids.length).fill(1) };
}

while (model.core.state.step < Number(steps)) {
  const { loss } = await model.backward([nextRow(), nextRow(), nextRow()], cloning);
  const { step } = await model.step({ learningRate: 0.01, clipNorm: 1, weightDecay: 0.01 });
  // All digits of the float64, so that equal means equal.
  process.stdout.write(`${step} ${loss} ${model.ref.version}\n`);
  await model.save(folder, { progress: { rng: rng.save() } });
}
await model.close();
process.stdout.write("done\n");
if (wait === "wait") process.stdin.resume();
