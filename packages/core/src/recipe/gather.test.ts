import { expect, test } from "vitest";
import { corridorEpisodes, openUpdate, smallModel, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import type { TrainRow } from "limbeck-policy/policy/objective";
import type { JsonObject } from "limbeck-base/base/json";
import { gatherRows } from "./gather.ts";
import { keptRows, rowFromJson, rowToJson } from "./kept-rows.ts";

const row: TrainRow = {
  ids: Int32Array.of(1, -2, 2 ** 30),
  mask: Uint8Array.of(0, 1, 1),
  advantages: Float64Array.of(0, Math.PI, -1e-300),
  oldLogprobs: Float64Array.of(0, -1 / 3, -0),
  trajectory: "t",
  pair: "p",
  rank: 0,
};

test("a row comes back from JSON bit for bit", () => {
  expect(rowFromJson(JSON.parse(JSON.stringify(rowToJson(row))) as JsonObject)).toStrictEqual(row);
  expect(keptRows(null, "held")).toEqual([]);
  expect(() => rowFromJson("x")).toThrow("checkpoint");
  expect(() => rowFromJson({ ids: 3, mask: "" })).toThrow("checkpoint");
});

test("rows wait until it is time", async () => {
  const model = await smallModel();
  let kept: JsonObject | null = null;
  const sizes: number[] = [];
  for (let update = 1; update <= 4; update += 1) {
    const opened = await openUpdate("grpo", { model, update, kept });
    sizes.push(gatherRows(opened.update, [row], 2).length);
    kept = opened.record.kept;
  }
  expect(sizes).toEqual([0, 2, 0, 2]);
  await model.close();
});

test("rejection sampling gathers the successes of two updates", async () => {
  const model = await smallModel();
  const given = { gather: 2 };
  const first = await tryRecipe("rejection-sampling", { model, given });
  expect(first.record.metrics["gradientNorm"]).toBeUndefined();
  const collect = () => corridorEpisodes("two");
  const second = await tryRecipe("rejection-sampling", { model, given, update: 2, kept: first.record.kept, collect });
  const tokens = [...first.record.episodes, ...second.record.episodes]
    .filter(({ success }) => success === true)
    .reduce((total, { streams }) => total + (streams[0]?.mask.reduce((sum, one) => sum + one, 0) ?? 0), 0);
  expect(second.record.metrics["loss/policy/trainedTokens"]).toBe(tokens);
  await model.close();
});
