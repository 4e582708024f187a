import { afterEach, beforeEach, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { sampleStore } from "../../../../../test/support/sample-store.ts";
import { openStore } from "limbeck-store/store/open-store";

let store: Awaited<ReturnType<typeof sampleStore>>;
beforeEach(async () => {
  store = await sampleStore();
  const opened = openStore(store.root);
  for (const [id, gamma, loss] of [
    ["first", 0.9, 0.5],
    ["second", 0.99, 0.25],
  ] as const) {
    const writer = await opened.createRun({ id, kind: "train", config: { recipe: "opid", credit: { gamma } } });
    await writer.addMetrics(1, { loss: 9, same: 1 });
    await writer.addMetrics(2, { loss, same: 1, ...(id === "second" ? { entropy: 0.1 } : {}) });
    await writer.close();
  }
  await opened.close();
});
afterEach(() => store.remove());

const diff = (...words: readonly string[]) => limbeck(["diff", ...words], { env: { LIMBECK_STORE: store.root } });

test("settings by dotted name, and the newest value of each metric, where they differ", async () => {
  const { code, objects } = await diff("first", "second", "--json");
  expect([code, objects()]).toEqual([
    0,
    [
      { kind: "setting", name: "credit.gamma", left: "0.9", right: "0.99", change: null },
      { kind: "figure", name: "entropy", left: null, right: 0.1, change: null },
      { kind: "figure", name: "loss", left: 0.5, right: 0.25, change: -0.25 },
    ],
  ]);
  const all = (await diff("first", "second", "--all", "--json")).objects().map(({ name }) => name);
  expect(all).toEqual(["recipe", "credit.gamma", "entropy", "loss", "same", "steps", "trajectories"]);
});

test("for a person: a table, by the beginning of an id; success where episodes were judged", async () => {
  const { out } = await diff("fir", "demo");
  expect(out).toMatch(/^kind +name +first +demo +change\n/);
  expect(out).toMatch(/^figure +loss +0\.5 +-\s+-$/m);
  expect(out).toMatch(/^figure +success +- +0\.5 +-$/m);
  expect(out).toMatch(/^figure +trajectories +0 +2 +2$/m);
  expect((await diff("first", "first")).out).toBe("They differ in nothing.\n");
});

test("a run that is not there, and one run alone, are refused", async () => {
  expect((await diff("first", "secnd")).err).toContain('Did you mean "second"?');
  expect((await diff("first")).code).toBe(2);
});
