import { expect, test } from "vitest";
import { tinyHeads } from "../../../../../../test/support/draft-samplers.ts";
import { bundledModel } from "../bundled-model.ts";
import { openModel } from "../open-model.ts";

test("heads that are not there are asked for by name", async () => {
  await expect(openModel(bundledModel("household"), { draft: "heads" })).rejects.toMatchObject({
    code: "bad-option",
    message: expect.stringMatching(/train them with limbeck draft-heads/),
  });
});

test("heads: trained by total variation they are kept more often than trained by cross-entropy, at temperature 1", async () => {
  const options = { steps: 400, depth: 2, learningRate: 0.01 };
  const [tv, ce] = [await tinyHeads(options), await tinyHeads({ ...options, loss: "ce" })];
  // The same places are held out, and the same steps are made.
  expect([tv.places, tv.heldOut]).toEqual([ce.places, ce.heldOut]);
  expect(tv.tokensPerPass).toBeGreaterThan(ce.tokensPerPass);
});
