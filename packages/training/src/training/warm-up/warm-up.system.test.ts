import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";
import { createCorridor } from "limbeck-core/env/corridor";
import type { Demonstrator } from "limbeck-core/env/expert";
import { warmUp } from "./warm-up.ts";

const newFolder = temporaryFolders();
const env = createCorridor();
const walker = (action: string): Demonstrator => ({
  id: "walker",
  summary: "Always the same.",
  start: () => ({ next: () => action }),
});

test("a model that knows nothing learns to walk a corridor, and stops when it does so now and then", async () => {
  const folder = await newFolder();
  await writeTinyModel(join(folder, "base"), 1, 512);
  const made = await warmUp({
    env,
    demonstrator: walker("go east"),
    base: join(folder, "base"),
    words: "new",
    out: join(folder, "made"),
    learningRate: 0.02,
    steps: 200,
    evaluateEvery: 5,
    tasks: 4,
    threads: 1,
  });
  expect(made.stopped).toBe("reached");
  expect(made.measured.none.success).toBeGreaterThanOrEqual(0.25);
  // Eight tasks, all with the same way: nothing else to advise, so wrong advice cannot be told.
  expect(made).toMatchObject({ demonstrations: 8, parameters: expect.any(Number) });
  expect(made.measured.wrong?.tasks).toBe(0);
});

test("what a base can do already is kept: it learns in smaller steps than a new model, and a folder in smaller ones yet", async () => {
  const folder = await newFolder();
  await writeTinyModel(join(folder, "own"), 1, 512);
  const rateOf = async (base: string, out: string): Promise<number> => {
    const small = { steps: 1, tasks: 1, threads: 1 };
    const made = await warmUp({ env, demonstrator: walker("go east"), base, out: join(folder, out), ...small });
    return made.learningRate;
  };
  expect(await rateOf("household", "a")).toBe(0.001);
  expect(await rateOf(join(folder, "own"), "b")).toBe(0.0005);
  expect(await rateOf("fresh", "c")).toBe(0.003);
});

test("a world without a demonstrator is told the ways out, and one who never succeeds is named", async () => {
  const out = join(await newFolder(), "made");
  await expect(warmUp({ env, out })).rejects.toThrow(/corridor has no demonstrator.*--from RUN.*--policy/);
  await expect(warmUp({ env, out, demonstrator: walker("look") })).rejects.toThrow(
    "The demonstrator walker solved none of 8 tasks",
  );
  await expect(warmUp({ env, out, steps: 0 })).rejects.toThrow(
    "Option steps of warmUp is 0; it takes a whole number at least 1.",
  );
});
