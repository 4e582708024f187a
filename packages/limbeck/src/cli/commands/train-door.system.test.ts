/** The library and the command line are one training: the same options and seed end with the same parameters. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { bundledModel } from "limbeck-policy/policy/local/bundled-model";
import { train } from "limbeck-training/training/train";

const temporaryFolder = temporaryFolders();

test("train() and limbeck train with the same seed end with the same parameters", { timeout: 120_000 }, async () => {
  const folder = await temporaryFolder();
  const settings = { tasks: 2, group: 4, maxSteps: 12, learningRate: 0.001 };
  const typed = Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  const few = ["--steps", "1", "--report-tasks", "1", "--validate-every", "0", "--threads", "1"];
  const dir = join(folder, "typed");
  const words = ["train", "--recipe", "grpo", "--env", "household", "--seed", "3", "--dir", dir, ...few, ...typed];
  expect((await limbeck(words)).code).toBe(0);
  const run = await train({
    recipe: "grpo",
    env: "household",
    seed: 3,
    steps: 1,
    report: { tasks: 1 },
    validation: { every: 0 },
    threads: 1,
    settings,
    dir: join(folder, "called"),
  });
  const called = await numbersOf(run.model);
  expect(called.length).toBeGreaterThan(1_000_000);
  expect(called.equals(await numbersOf(join(dir, "model")))).toBe(true);
  // They have learned something.
  expect(called.equals(await numbersOf(bundledModel("household")))).toBe(false);
});

/** The numbers of a model; what stands before them names the checkpoint. */
async function numbersOf(model: string): Promise<Buffer> {
  const bytes = await readFile(join(model, "model.safetensors"));
  return bytes.subarray(8 + Number(bytes.readBigUInt64LE(0)));
}
