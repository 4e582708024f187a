import { expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { bundledModel } from "limbeck-policy/policy/local/bundled-model";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { createAdapter, type Adapter } from "limbeck-policy/policy/local/lora";
import { ownWordsOf } from "./likelihood.ts";
import { headScores } from "./readers.ts";

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
