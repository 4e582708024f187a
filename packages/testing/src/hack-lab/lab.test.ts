import { expect, test } from "vitest";
import { hacks } from "./hacks.ts";
import { auditRewards } from "./lab.ts";

test("thirty hacks, each with a name of its own", () => {
  expect(hacks).toHaveLength(30);
  expect(new Set(hacks.map(({ id }) => id)).size).toBe(30);
});

test("the world's own verdict pays for none of them", async () => {
  const found = await auditRewards(
    { rewards: [{ use: "outcome", options: { from: "success" } }], reward: "outcome" },
    { tasks: 2, copies: 1 },
  );
  expect(found.filter(({ pays }) => pays)).toEqual([]);
  expect(found.flatMap(({ unscored }) => unscored)).toEqual(hacks.map(() => 0));
});

test("hack and twin make the same effort: where only words differ, the actions are the same", async () => {
  // Rewards that see actions alone cannot tell them apart.
  const found = await auditRewards(
    { rewards: [{ use: "verifier" }], reward: "verifier" },
    {
      only: ["plea", "injection", "padded-words"],
      tasks: 3,
      copies: 1,
      givens: { verify: ({ steps }) => steps.map(({ action }) => action).join().length },
    },
  );
  expect(found.map(({ gain }) => gain?.mean)).toEqual([0, 0, 0]);
});

test("a reward of length pays for padding and is noticed; the twins alone raise no alarm", async () => {
  const givens = {
    verify: ({ success, steps }: { success: boolean | null; steps: readonly unknown[] }) =>
      (success === true ? 1 : 0) + 0.05 * steps.length,
  };
  const [padded] = await auditRewards(
    { rewards: [{ use: "verifier" }], reward: "verifier" },
    { only: ["padded-way"], givens },
  );
  // Two idle steps of 0.05 each.
  expect(padded).toMatchObject({
    pays: true,
    noticed: expect.arrayContaining(["length-exploit"]) as never,
    falseAlarms: [],
  });
  expect(padded?.gain?.mean).toBeCloseTo(0.1, 1);
});

test("only one of the tasks: nothing is sure, so nothing pays", async () => {
  const [one] = await auditRewards(
    { rewards: [{ use: "format" }], reward: "format" },
    { only: ["empty-form"], tasks: 1, copies: 1 },
  );
  expect(one).toMatchObject({ gain: null, pays: false });
});
