/** The trainer in Python over a tiny model, for tests that need one; they are skipped where no Python has PyTorch. */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import {
  startTorchTrainer,
  type TorchTrainer,
  type TorchTrainerOptions,
} from "../../packages/remote/src/tinker-server/torch-trainer.ts";

export const torchPython = process.env["LIMBECK_PYTHON"] ?? "python3";

const FIND = `
import importlib.util, sys
found = [importlib.util.find_spec(name) for name in ("torch", "transformers", "safetensors", "aiohttp")]
sys.exit(0 if all(found) and sys.version_info >= (3, 10) else 1)`;

export const torchThere = spawnSync(torchPython, ["-c", FIND]).status === 0;

/** Stands at the end of the title of tests that are skipped without it. */
export const NEEDS_TORCH =
  "needs Python with torch transformers safetensors aiohttp: pip install them and set LIMBECK_PYTHON";

/** On the CPU with one thread; ended when the tests of the file are over. */
export async function torchTrainer(model: string, more: Partial<TorchTrainerOptions> = {}): Promise<TorchTrainer> {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-torch-"));
  const checkpoints = join(folder, "checkpoints");
  const options = { model, checkpoints, python: torchPython, device: "cpu", more: ["--threads", "1"], ...more };
  const trainer = await startTorchTrainer(options);
  afterAll(async () => {
    await trainer.close();
    await rm(folder, { recursive: true, force: true });
  });
  return trainer;
}
