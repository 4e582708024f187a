import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { sampleStore } from "../../../../../test/support/sample-store.ts";

let store: Awaited<ReturnType<typeof sampleStore>>;
beforeAll(async () => {
  store = await sampleStore();
});
afterAll(() => store.remove());

test("adds named rewards to a stored trajectory and prints what it added", async () => {
  const words = ["feedback", "kitchen-1", "--success", "--source", "survey", "--store", store.root, "--json"];
  const { code, objects } = await limbeck(words);
  expect(code).toBe(0);
  expect(objects()).toMatchObject([
    { trajectory: "kitchen-1", rewards: [{ name: "success", source: "survey", score: { kind: "scored", value: 1 } }] },
  ]);
  const { out } = await limbeck(["show", "kitchen-1", "--store", store.root]);
  expect(out).toContain("survey");
});
