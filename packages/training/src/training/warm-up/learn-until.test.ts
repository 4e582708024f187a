import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";
import { summarise, type Evaluation } from "limbeck-core/eval/evaluate";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { openModel } from "limbeck-policy/policy/local/open-model";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { learnUntil, type Course } from "./learn-until.ts";

const newFolder = temporaryFolders();
let folder = "";
let model: LocalModel;
beforeEach(async () => {
  folder = await newFolder();
  await writeTinyModel(join(folder, "base"));
  model = await openModel(join(folder, "base"), { threads: 1 });
});
afterEach(() => model.close());

const row = (...ids: number[]): TrainRow => ({ ids: Int32Array.from(ids), mask: new Uint8Array(ids.length).fill(1) });
const evaluation = (success: number): Evaluation => ({ ...summarise([]), success, tasks: 64 });

/** A course whose success after so many updates is told; it notes where it was asked. */
function course(success: (updates: number) => number, more: Partial<Course> = {}): Course & { asked: number[] } {
  const asked: number[] = [];
  return {
    asked,
    model,
    rows: [row(1, 2, 3), row(2, 3, 4)],
    heldOut: [row(1, 2, 3)],
    evaluate: async (updates) => {
      asked.push(updates);
      return evaluation(success(updates));
    },
    until: 0.25,
    most: 0.4,
    updates: 40,
    evaluateEvery: 8,
    batchRows: 2,
    learningRate: 0.01,
    seed: 1,
    scratch: folder,
    onUpdate: () => undefined,
    signal: new AbortController().signal,
    ...more,
  };
}

test("it stops at the first validation that reaches what was wanted", async () => {
  const asked = course((updates) => updates / 64);
  expect(await learnUntil(asked)).toEqual({ reason: "reached", updates: 16 });
  expect(asked.asked).toEqual([0, 8, 16]);
});

test("where it leaps over the band it goes back and on in smaller steps, along the same updates", async () => {
  const leaping = course((updates) => (updates < 11 ? 0.1 : updates < 12 ? 0.3 : 0.9));
  expect(await learnUntil(leaping)).toEqual({ reason: "reached", updates: 11 });
  // Steps of 8, then of 2 from 8 on, then of 1 from 10 on.
  expect(leaping.asked).toEqual([0, 8, 16, 10, 12, 11]);
  const gone = model.weights.flat.slice();
  // One that never left: eleven updates in a row give the same weights.
  await model.load(join(folder, "base"));
  await learnUntil(course((updates) => (updates < 11 ? 0 : 0.3), { evaluateEvery: 11, scratch: await newFolder() }));
  expect(model.weights.flat).toEqual(gone);
});

test("a model that is there already is left as it is", async () => {
  const before = model.weights.flat.slice();
  expect(await learnUntil(course(() => 0.5))).toEqual({ reason: "already", updates: 0 });
  expect(model.weights.flat).toEqual(before);
});

test("where it ends without, the best weights on the way are kept", async () => {
  const peak = course((updates) => (updates === 16 ? 0.2 : 0.1));
  expect(await learnUntil(peak)).toEqual({ reason: "updates", updates: 16 });
  const kept = model.weights.flat.slice();
  await model.load(join(folder, "base"));
  await learnUntil(course((updates) => (updates === 16 ? 0.3 : 0), { scratch: await newFolder() }));
  expect(model.weights.flat).toEqual(kept);
});

test("it gives up when the loss on what is held out falls no more", async () => {
  const frozen = course(() => 0, { learningRate: 0, updates: 1_000 });
  expect(await learnUntil(frozen)).toMatchObject({ reason: "stalled" });
  // The first sets the mark, six more do not pass it.
  expect(frozen.asked).toEqual([0, 8, 16, 24, 32, 40, 48, 56]);
});

test("a model whose actions are mostly refused goes on, up to what it should not pass", async () => {
  // 0.25 at update 8 with half of the actions refused, 0.25 at 16 with a fifth.
  const wordless = course(() => 0, {
    evaluate: async (updates) =>
      Promise.resolve({ ...evaluation(updates < 8 ? 0 : 0.25), invalid: updates < 16 ? 0.5 : 0.2 }),
  });
  expect(await learnUntil(wordless)).toEqual({ reason: "reached", updates: 16 });
  const good = course(() => 0, {
    evaluate: async () => Promise.resolve({ ...evaluation(0.4), invalid: 0.5 }),
  });
  expect(await learnUntil(good)).toEqual({ reason: "already", updates: 0 });
});
