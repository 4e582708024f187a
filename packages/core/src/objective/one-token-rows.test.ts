import { expect, test } from "vitest";
import { smallModel } from "../../../../test/support/recipe-bench.ts";
import { createRng } from "limbeck-base/base/rng";
import { oneTokenRows } from "./one-token-rows.ts";
import { otr } from "./otr.ts";

test("draws follow the model, and learning from them makes the recorded words likelier", async () => {
  const model = await smallModel();
  const rows = [0, 1, 2].map((shift) => ({
    ids: Int32Array.from({ length: 9 }, (_, at) => 40 + ((at * 7 + shift) % 20)),
    mask: Uint8Array.of(0, 0, 1, 1, 1, 1, 0, 1, 1),
  }));
  const belief = async (): Promise<number> => {
    const scored = await model.score(rows);
    return scored.reduce((sum, { logprob }) => sum + (logprob?.reduce((total, one) => total + one, 0) ?? 0), 0);
  };
  const before = await belief();
  const drawing = { count: 32, temperature: 1.3, addGold: true, vocabularySize: model.config.vocabularySize };
  for (let step = 0; step < 8; step += 1) {
    const drawn = await oneTokenRows(model, rows, { ...drawing, rng: createRng("draws").split(step) });
    expect(drawn.every(({ candidates }) => candidates?.count === 33)).toBe(true);
    await model.backward(drawn, otr.create());
    await model.step({ learningRate: 0.01, clipNorm: 1 });
  }
  expect(await belief()).toBeGreaterThan(before + 3);
  await model.close();
});
