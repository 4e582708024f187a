/** A trainer with a tiny model, on this machine, for tests of everything that talks to one. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import {
  openTinkerPolicy,
  type TinkerPolicy,
  type TinkerPolicyOptions,
} from "../../packages/policy/src/policy/tinker/tinker-policy.ts";
import { startTrainer, type Trainer, type TrainerOptions } from "../../packages/remote/src/tinker-server/server.ts";
import { tinyConfig, tinyWeights } from "./tiny-model.ts";
import { createWeights } from "../../packages/policy/src/policy/local/weights.ts";
import { wrapModel } from "../../packages/policy/src/policy/local/open-model.ts";

export interface TestTrainer extends Trainer {
  readonly folder: string;
}

/** Starts one with the model of `tiny-model.ts`, or with the folder given; closed when the tests of the file are over. */
export async function testTrainer(options: Partial<TrainerOptions> = {}): Promise<TestTrainer> {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-trainer-"));
  const model = join(folder, "tiny");
  if (options.model === undefined) await writeOpinionated(model);
  const checkpoints = join(folder, "checkpoints");
  const trainer = await startTrainer({ model, checkpoints, local: { threads: 1 }, ...options });
  afterAll(async () => {
    await trainer.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { ...trainer, folder };
}

async function writeOpinionated(folder: string): Promise<void> {
  const weights = createWeights(tinyConfig);
  for (const [name, values] of Object.entries(tinyWeights())) weights.views[name]?.set(values);
  const model = await wrapModel({ config: tinyConfig, weights }, { threads: 1 });
  await model.save(folder, { optimiser: false });
  await model.close();
}

/** Sums, and ignores nothing: what the probe finds out about `limbeck trainer`. */
export const KNOWN_TRAINING = { lossScale: "sum", measured: true, ignored: [] } as const;

export async function remotePolicy(url: string, options: Partial<TinkerPolicyOptions> = {}): Promise<TinkerPolicy> {
  const { vocabularySize, contextLength } = tinyConfig;
  return await openTinkerPolicy({ url, vocabularySize, contextLength, training: KNOWN_TRAINING, ...options });
}
