import { expect, test } from "vitest";
import { createRng } from "../../base/index.ts";
import type { ScoreRow } from "../../policy/index.ts";
import { bundledModel, openModel, type LocalModel } from "../../policy/local/index.ts";
import { createAdapter, type Adapter } from "../../policy/local/lora.ts";
import { ownWordsOf } from "./likelihood.ts";
import { headScores, standingBefore, statesScores } from "./readers.ts";
import type { ScorerRow } from "./rows.ts";

test("a head that stands before a place sees nothing after it, and the one that stands after it does", async () => {
  const model = await openModel(bundledModel("countdown"), {
    threads: 1,
    adapter: (config) => createAdapter(config, { rank: 2, heads: ["quality"], seed: "any" }),
  });
  try {
    const rng = createRng("weights");
    const { flat } = (model.adapter as Adapter).weights;
    for (const at of flat.keys()) flat[at] = rng.float() - 0.5;
    model.replaced(1);
    const mask = Uint8Array.of(0, 0, 0, 1, 0);
    const marks = { begin: 40, end: 41 };
    const rows = [
      [40, 41, 42, 43, 44],
      [40, 41, 42, 50, 51],
    ].map((ids) => ({ ids: Int32Array.from(ids), mask }));
    const said = async (stands: "before" | "after") => (await headScores(model, rows, stands)).map((own) => own[3]);
    const [one, other] = await said("before");
    expect(one).not.toBe(0);
    expect(other).toBe(one);
    const [third, fourth] = await said("after");
    expect(fourth).not.toBe(third);
    // What is asked after the last token needs one more to stand in for what comes; which one is no matter.
    const asked = [0, 99].map((filler) => ({
      ids: Int32Array.of(40, 41, 42, filler),
      mask: Uint8Array.of(0, 0, 0, 1),
    }));
    const ends = (await headScores(model, asked, "before")).map((own) => own[3]);
    expect(ends[1]).toBe(ends[0]);
    expect(ends[0]).toBeCloseTo(one as number, 5);
    // A conversation that fills the context has an end too.
    const { contextLength } = model.config;
    const full = {
      ids: new Int32Array(contextLength + 1).fill(40),
      mask: new Uint8Array(contextLength + 1).fill(1, contextLength),
    };
    const [[whole], [words]] = [await headScores(model, [full], "before"), await ownWordsOf(model, marks, [full])];
    expect([whole?.length, words?.least.length]).toEqual([contextLength + 1, contextLength + 1]);
    expect(whole?.at(-1)).not.toBe(0);
    expect(words?.least.at(-1)).toBeLessThan(0);
  } finally {
    await model.close();
  }
});

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
