import { afterAll, beforeAll, expect, test } from "vitest";
import { corridorEpisodes, smallModel, tryRecipe, type Tried } from "../../../../test/support/recipe-bench.ts";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import type { JsonObject } from "limbeck-base/base/json";

recipeContract("spear");

type Done = Tried & { readonly weights: Float32Array };

/** Updates with what the one before kept, as a checkpoint would hand it on. */
async function updates(count: number, carry: (kept: JsonObject | null) => JsonObject | null): Promise<Done[]> {
  const model = await smallModel();
  const given = { bufferRows: 16, maxAge: 2, rampUpdates: 4, epochs: 2 };
  const done: Done[] = [];
  let kept: JsonObject | null = null;
  for (let update = 1; update <= count; update += 1) {
    const collect = () => corridorEpisodes(`update ${update}`);
    const tried: Tried = await tryRecipe("spear", { model, given, update, kept, collect });
    kept = carry(tried.record.kept);
    done.push({ ...tried, weights: model.weights.flat.slice() });
  }
  return done;
}

/** Four updates, which several tests look at. */
let straight: readonly Done[] = [];
beforeAll(async () => void (straight = await updates(4, (kept) => kept)));
afterAll(() => straight[0]?.model.close());

test("better rows wait in the buffer until it is full, then those that still are better are learned again", () => {
  const metrics = straight.map(({ record }) => record.metrics);
  const full = metrics.findIndex((one) => one["replay/rows"] !== undefined);
  expect(full).toBeGreaterThan(0);
  expect(metrics[0]?.["replay/held"]).toBeLessThan(16);
  expect(metrics[full]?.["replay/held"]).toBeGreaterThanOrEqual(16);
  // (1 - cos(pi * update / 4)) / 2 at update 2: 0.5; at update 3: 0.853553.
  const weights = [0, 0.146447, 0.5, 0.853553, 1];
  expect(metrics[full]?.["replay/weight"]).toBeCloseTo(weights[full + 1] ?? 0, 6);
  const rows = metrics[full]?.["replay/rows"] ?? 0;
  expect(Math.log2(rows) % 1).toBe(0);
  expect(rows).toBeLessThanOrEqual(metrics[full]?.["replay/kept"] ?? 0);
  expect(metrics[full]?.["loss/replay/clipFraction"]).toBeDefined();
  // Emptied, and the history of groups goes on: 3 tasks an update.
  expect(straight[full]?.record.kept?.["held"]).toEqual([]);
  expect(straight[3]?.record.kept?.["means"]).toHaveLength(12);
});

test("it tells how old rows stand by what groups earn now, and between what the entropy has been", () => {
  const metrics = straight.slice(0, 3).map(({ record }) => record.metrics);
  const [first, second] = metrics;
  expect(first?.["replay/oldRows"]).toBeUndefined();
  expect(first?.["entropy/lowest"]).toBe(first?.["entropy/highest"]);
  expect(second?.["replay/oldRows"]).toBe(first?.["replay/held"]);
  for (const [at, one] of metrics.entries()) {
    expect(one["entropy/lowest"]).toBeLessThanOrEqual(metrics[at - 1]?.["entropy/lowest"] ?? Infinity);
    expect(one["entropy/highest"]).toBeGreaterThanOrEqual(metrics[at - 1]?.["entropy/highest"] ?? 0);
  }
});

test("an old row is imitated with what it is worth today", async () => {
  const model = await smallModel();
  const given = { bufferRows: 1, rampUpdates: 2 };
  const collect = () => corridorEpisodes("update 1");
  const held = (await tryRecipe("spear", { model, given: { ...given, bufferRows: 99 }, collect })).record.kept;
  // The history as it would be if groups had earned 0.5 or 2 since then: a reward of 1 is worth 0.5 more, or nothing.
  const worth = async (means: number): Promise<Tried> =>
    await tryRecipe("spear", {
      given,
      update: 2,
      collect,
      kept: { ...held, means: Array.from({ length: 99 }, () => means) },
    });
  const [better, worse] = [await worth(0.5), await worth(2)];
  expect(better.record.metrics["replay/oldNow"]).toBeGreaterThan(0);
  expect(better.record.metrics["replay/rows"]).toBeGreaterThan(0);
  expect(worse.record.metrics["replay/oldNow"]).toBeLessThan(0);
  expect([worse.record.metrics["replay/kept"], worse.record.metrics["replay/rows"]]).toEqual([0, 0]);
  await Promise.all([model.close(), better.model.close(), worse.model.close()]);
});

test("the aggregation is that of the replay loss too", async () => {
  const collect = () => corridorEpisodes("update 1");
  const replayLoss = async (aggregation: string): Promise<number | undefined> => {
    const given = { bufferRows: 1, rampUpdates: 1, aggregation };
    const { record, model } = await tryRecipe("spear", { given, collect });
    await model.close();
    return record.metrics["loss/replay/loss"];
  };
  const [tokens, rows] = [await replayLoss("token-mean"), await replayLoss("seq-mean-token-sum")];
  expect(Math.abs(rows ?? 0)).toBeGreaterThan(Math.abs(tokens ?? 0));
});

test("what it keeps survives a checkpoint: the same weights to the bit", async () => {
  const resumed = await updates(3, (kept) => JSON.parse(JSON.stringify(kept)) as JsonObject);
  expect(resumed[2]?.weights).toEqual(straight[2]?.weights);
  await resumed[0]?.model.close();
});

test("calls of tools are rewarded at the beginning, where that is asked for", async () => {
  const episodes = (await corridorEpisodes("one")).map((one) => ({
    ...one,
    steps: one.steps.map((step) => ({ ...step, info: { tool: "map" } })),
  }));
  const given = { toolBonus: true };
  const [plain, paid] = [
    await tryRecipe("spear", { collect: () => Promise.resolve(episodes) }),
    await tryRecipe("spear", { given, collect: () => Promise.resolve(episodes) }),
  ];
  // 0.1 a call, faded by one update of 100 as published code counts them: episodes of 2 to 5 calls earn 0.2 to 0.5 more.
  const meanOf = ({ record }: Tried): number =>
    ((record.kept?.["means"] as number[]) ?? []).reduce((a, b) => a + b, 0) / 3;
  const calls = episodes.reduce((total, { steps }) => total + steps.length, 0) / episodes.length;
  expect(meanOf(paid) - meanOf(plain)).toBeCloseTo((0.1 * calls * (Math.cos(Math.PI / 100) + 1)) / 2, 6);
  await Promise.all([plain.model.close(), paid.model.close()]);
});
