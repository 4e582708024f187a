/** Servers that hold the settings of a step in a coarse type: found out before they are harmed, or told for what they are. */
import { expect, test } from "vitest";
import { poisonedTrainer } from "../../../../../test/support/poisoned-trainer.ts";
import { remotePolicy, testTrainer } from "../../../../../test/support/trainer.ts";
import type { Objective, TrainRow } from "../objective.ts";
import { betasFor, coarseWords, heldIn, typeOf } from "./training-probe.ts";

test("numbers as the types hold them", () => {
  // bfloat16 has 8 bits: below 1 its numbers stand 2^-8 apart.
  expect(heldIn("bfloat16", 0.999)).toBe(1);
  expect(heldIn("bfloat16", 0.998)).toBe(1 - 2 ** -8);
  expect(heldIn("float16", 0.999)).toBe(1 - 2 ** -10);
  expect(heldIn("float32", 0.999)).toBe(Math.fround(0.999));
  expect(typeOf(1e-4, 0.00010013580322265625)).toBe("bfloat16");
  expect(typeOf(1e-4, 1e-4)).toBe("float32");
  expect(typeOf(1e-4, 2e-4)).toBeUndefined();
  expect(typeOf(1e-4, Number.NaN)).toBeUndefined();
});

test("betas that fit, and those that do not", () => {
  expect(betasFor(undefined, {})).toEqual({ beta1: 0.9, beta2: 0.999 });
  expect(betasFor("bfloat16", {})).toEqual({ beta1: 0.9, beta2: 0.99 });
  expect(betasFor("bfloat16", { beta2: 0.95 })).toEqual({ beta1: 0.9, beta2: 0.95 });
  expect(() => betasFor("bfloat16", { beta2: 0.999 })).toThrow(/beta2 is 0.999; .* bfloat16.* below 0.998046875/);
  expect(() => betasFor("bfloat16", { beta1: 0.9999 })).toThrow(/beta1 is 0.9999/);
  expect([coarseWords("float32"), coarseWords(undefined)]).toEqual([undefined, undefined]);
});

const plain: Objective = {
  needs: ["logprob"],
  compute: ({ logprob = [] }) => ({ loss: 1, weights: { logprob: logprob.map((row) => row.map((_, at) => -at)) } }),
};
const rows: readonly TrainRow[] = [{ ids: Int32Array.of(1, 2, 3), mask: Uint8Array.of(0, 1, 1) }];

test("a trainer that holds settings in bfloat16 is found out without a step that would harm it", async () => {
  const trainer = await testTrainer();
  const coarse = await poisonedTrainer(trainer.url, { coarse: "told" });
  const notices: string[] = [];
  const policy = await remotePolicy(coarse.url, { training: undefined, onNotice: (text) => notices.push(text) });
  expect(policy.training.held).toBe("bfloat16");
  expect(notices.join()).toContain("steps are made with 0.99");
  await policy.backward(rows, plain);
  await policy.step({ learningRate: 0.01 });
  expect(coarse.steps.at(-1)).toMatchObject({ beta1: 0.9, beta2: 0.99, eps: 1e-8 });
  const asked = coarse.steps.length;
  await expect(policy.step({ learningRate: 0.01, beta2: 0.999 })).rejects.toMatchObject({ code: "bad-option" });
  expect([coarse.steps.length, coarse.isPoisoned()]).toEqual([asked, false]);
  await policy.close();
});

test("one that tells nothing is known by the type of its model", async () => {
  const trainer = await testTrainer();
  const coarse = await poisonedTrainer(trainer.url, { coarse: "silent" });
  const policy = await remotePolicy(coarse.url, { training: undefined, weightsType: "bfloat16" });
  expect([policy.training.held, coarse.isPoisoned()]).toEqual(["bfloat16", false]);
  await policy.close();
});

test("one that nothing is known of is told by its cause before anything is trained, not by its address", async () => {
  const trainer = await testTrainer();
  const coarse = await poisonedTrainer(trainer.url, { coarse: "silent" });
  await expect(remotePolicy(coarse.url, { training: undefined })).rejects.toMatchObject({
    code: "trainer-not-finite",
    message: expect.stringMatching(/^(?!.*address).*beta2 0\.999.*bfloat16.*Nothing was trained/) as string,
  });
});
