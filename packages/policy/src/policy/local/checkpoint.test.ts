import type * as Files from "node:fs/promises";
import { cp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { tinyConfig } from "../../../../../test/support/tiny-model.ts";
import { parseConfig } from "./config-file.ts";
import { type Checkpoint, saveCheckpoint } from "./checkpoint.ts";
import { openCheckpoint } from "./training-state.ts";
import { createWeights } from "./weights.ts";
import { writeSafetensors } from "./safetensors.ts";

/** File operations that still go through; then the process is as good as dead. */
const power = vi.hoisted(() => ({ left: Number.POSITIVE_INFINITY, used: 0 }));
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof Files>();
  const cut = <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      power.used += 1;
      if (power.used > power.left) throw new Error("the power went out");
      return await work(...args);
    };
  };
  // `open` is counted for reading too; a reader runs with all the power there is.
  return {
    ...real,
    rename: cut(real.rename),
    rm: cut(real.rm),
    mkdir: cut(real.mkdir),
    open: cut(real.open),
    writeFile: cut(real.writeFile),
  };
});
const folder = temporaryFolders();
afterEach(() => void (power.left = Number.POSITIVE_INFINITY));

function checkpoint(mark: number, heads = 0): Checkpoint {
  const extra = new Map(heads > 0 ? [["value_head.weight", [1, 16]] as const] : []);
  const weights = createWeights(tinyConfig, extra);
  weights.flat.fill(mark);
  const size = weights.flat.length;
  const optimiser = {
    step: mark,
    first: new Float32Array(size).fill(-mark),
    second: new Float32Array(size).fill(mark),
  };
  const files = { configJson: { bos_token_id: 1 }, generationJson: { temperature: 0.5 }, tokenizer: undefined };
  return {
    config: tinyConfig,
    weights,
    adapter: undefined,
    optimiser,
    version: mark * 10,
    progress: { mark },
    ...files,
  };
}

/** The mark of a whole checkpoint; fails when anything in it does not belong to the rest. */
async function markOf(path: string): Promise<number> {
  const opened = await openCheckpoint(path);
  try {
    const weights = createWeights(opened.config);
    const { length } = weights.flat;
    const optimiser = { step: 0, first: new Float32Array(length), second: new Float32Array(length) };
    await opened.readWeights(weights);
    const mark = weights.flat[0] as number;
    await opened.readState(weights, undefined, optimiser);
    expect([optimiser.step, opened.version, opened.progress]).toEqual([mark, mark * 10, { mark }]);
    expect(weights.flat.every((value) => value === mark)).toBe(true);
    expect(optimiser.first.every((value) => value === -mark)).toBe(true);
    expect(optimiser.second.every((value) => value === mark)).toBe(true);
    return mark;
  } finally {
    await opened.close();
  }
}

async function dieAfter(operations: number, work: () => Promise<void>): Promise<boolean> {
  power.used = 0;
  power.left = operations;
  const finished = await work().then(
    () => true,
    (error: Error) => {
      expect(error.message).toBe("the power went out");
      return false;
    },
  );
  power.left = Number.POSITIVE_INFINITY;
  return finished;
}

/** What the process that died has begun is a dead process's: no number of a process is so large. */
async function bury(place: string): Promise<void> {
  const own = `.writing-${process.pid}.`;
  for (const name of await readdir(place)) {
    if (name.startsWith(own)) await rename(join(place, name), join(place, name.replace(own, ".writing-4194305.")));
  }
}

describe("when the process dies in a save", () => {
  test("a checkpoint is the old or the new one at every file operation, and the next save cleans up", async () => {
    const root = await folder();
    await saveCheckpoint(join(root, "old"), checkpoint(1));
    const marks: number[] = [];
    for (let operations = 0; ; operations += 1) {
      const path = join(root, `try ${operations}`);
      await cp(join(root, "old"), path, { recursive: true });
      const finished = await dieAfter(operations, () => saveCheckpoint(path, checkpoint(2)));
      marks.push(await markOf(path));
      await bury(path);
      await saveCheckpoint(path, checkpoint(3));
      expect(await markOf(path)).toBe(3);
      expect((await readdir(path)).sort()).toEqual([
        "config.json",
        "generation_config.json",
        "model.safetensors",
        expect.stringMatching(/^training-/),
      ]);
      if (finished) break;
    }
    expect(marks[0]).toBe(1);
    expect(marks.at(-1)).toBe(2);
    expect(marks).toEqual(marks.toSorted((left, right) => left - right));
    expect(marks.length).toBeGreaterThan(5);
  });

  test("a new folder is there whole or not at all", async () => {
    const root = await folder();
    const path = join(root, "new");
    for (let operations = 0; ; operations += 1) {
      const finished = await dieAfter(operations, () => saveCheckpoint(path, checkpoint(1)));
      await bury(root);
      if (finished || (await readdir(root)).includes("new")) break;
    }
    // The first time that it is there, it is whole; what earlier attempts left is gone.
    expect(await markOf(path)).toBe(1);
    await saveCheckpoint(join(root, "next"), checkpoint(2));
    expect((await readdir(root)).sort()).toEqual(["new", "next"]);
  });
});

test("a folder of another model is not touched", async () => {
  const path = join(await folder(), "model");
  await saveCheckpoint(path, checkpoint(1));
  const larger = { ...checkpoint(2), config: { ...tinyConfig, contextLength: 161 } };
  await expect(saveCheckpoint(path, larger)).rejects.toThrow("holds a model with another config.json");
  expect(await markOf(path)).toBe(1);
});

test("what config.json and generation_config.json say besides is kept; heads are saved; the optimiser can stay out", async () => {
  const path = join(await folder(), "deep", "model");
  await saveCheckpoint(path, checkpoint(4, 1), { optimiser: false });
  const opened = await openCheckpoint(path);
  expect(parseConfig(opened.configJson, "x")).toEqual(tinyConfig);
  expect(opened.configJson).toMatchObject({ bos_token_id: 1, torch_dtype: "float32" });
  expect(opened.generationJson).toEqual({ temperature: 0.5 });
  expect([...opened.heads]).toEqual([["value_head.weight", [1, 16]]]);
  const weights = createWeights(tinyConfig, opened.heads);
  await opened.readHeads(weights);
  expect(weights.views["value_head.weight"]).toEqual(new Float32Array(16).fill(4));
  const state = { step: 9, first: new Float32Array(3).fill(9), second: new Float32Array(3).fill(9) };
  await opened.readState(weights, undefined, state);
  expect(state).toEqual({ step: 0, first: new Float32Array(3), second: new Float32Array(3) });
  await opened.close();
});

test("bfloat16 weights come back exactly for a training that goes on", async () => {
  const path = join(await folder(), "half");
  const exact = checkpoint(1);
  exact.weights.flat.fill(1.003);
  await saveCheckpoint(path, exact, { precision: "bfloat16" });
  const opened = await openCheckpoint(path);
  const weights = createWeights(tinyConfig);
  await opened.readWeights(weights);
  // 1.003 lies between 1 and 1.0078125 and nearer to 1.
  expect(weights.flat[0]).toBe(1);
  const { optimiser } = checkpoint(0);
  await opened.readState(weights, undefined, optimiser);
  expect(weights.flat).toEqual(exact.weights.flat);
  await opened.close();
});

test("a training state whose head has the name of a parameter, or whose step is no number, is refused", async () => {
  const path = join(await folder(), "odd");
  await saveCheckpoint(path, checkpoint(1));
  const state = join(path, (await readdir(path)).find((name) => name.startsWith("training-")) as string);
  const data = new Float32Array(16);
  const write = (name: string, notes: Record<string, string>): Promise<void> =>
    writeSafetensors(state, [{ name, shape: [16], data, type: "F32" }], notes);
  await write("head.model.norm.weight", {});
  await expect(openCheckpoint(path)).rejects.toThrow('the head "model.norm.weight" has the name of a model');
  await write("head.x", { version: "-3" });
  await expect(openCheckpoint(path)).rejects.toThrow('"version" is not a whole number');
  await write("head.x", { progress: "[" });
  await expect(openCheckpoint(path)).rejects.toThrow("progress is not JSON");
});

test("weights without the training state they name are refused", async () => {
  const path = join(await folder(), "torn");
  await saveCheckpoint(path, checkpoint(1));
  const state = (await readdir(path)).find((name) => name.startsWith("training-")) as string;
  await rm(join(path, state));
  await expect(openCheckpoint(path)).rejects.toThrow(`lacks ${state}, the training state that its weights name`);
});
