import { expect, test } from "vitest";
import type { ScoreRow } from "limbeck-policy/policy/policy";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { standingBefore, statesScores } from "./readers.ts";
import type { ScorerRow } from "./rows.ts";

test("what a head learns stands one token earlier than what it is said of", () => {
  const row = {
    ids: Int32Array.of(7, 8, 9, 0),
    mask: Uint8Array.of(0, 1, 0, 1),
    returns: Float64Array.of(0, 0.25, 0, 1),
  };
  const { ids, mask, returns } = standingBefore(row as unknown as ScorerRow);
  expect([[...ids], [...mask], [...returns]]).toEqual([
    [7, 8, 9],
    [1, 0, 1],
    [0.25, 0, 1],
  ]);
});

test("a head on states says of a full context what it says one token earlier, and a longer row is passed on whole", async () => {
  const one = (value: number): Float32Array => Float32Array.of(value);
  const head = { centre: one(0), spread: one(1), up: one(1), upBias: one(0), out: one(1), outBias: one(0) };
  const lengths: number[] = [];
  const model = {
    config: { hiddenSize: 1, contextLength: 3 } as LocalModel["config"],
    // The state that a token was foretold from is its place.
    states: (rows: readonly ScoreRow[]) => {
      lengths.push(...rows.map(({ ids }) => ids.length));
      return Promise.resolve(
        rows.map(({ mask }) =>
          Float32Array.from([...(mask ?? [])].flatMap((isAsked, at) => (isAsked === 1 ? at : []))),
        ),
      );
    },
  };
  const row = (length: number) => ({ ids: new Int32Array(length), mask: new Uint8Array(length).fill(1, length - 1) });
  const [short, full] = await statesScores(model, head, [row(3), row(4)]);
  expect([...(short ?? [])]).toEqual([0, 0, Math.fround(Math.tanh(2))]);
  expect(full?.at(-1)).toBe(Math.fround(Math.tanh(2)));
  await statesScores(model, head, [row(5)]);
  expect(lengths).toEqual([3, 3, 5]);
});
