import { describe, expect, test } from "vitest";
import { createCorridor } from "./corridor.ts";
import { envContract } from "./env.contract.ts";
import { noisyText, withNoisyObservations } from "./with-noisy-observations.ts";

envContract({
  name: "withNoisyObservations",
  env: withNoisyObservations(createCorridor(), { share: 0.5, seed: "noise" }),
  runner: { describe, test },
});

const TEXT = "one two three four five six seven eight nine ten ".repeat(40).trim();

test("about the asked share of the words is lost or turned around, always the same", () => {
  const seen = noisyText(TEXT, { share: 0.2, seed: "noise" }, "task 1");
  const [before, after] = [TEXT.split(" "), seen.split(" ")];
  expect(after).toHaveLength(before.length);
  const changed = after.filter((word, at) => word !== before[at]);
  // 400 words: three standard deviations of a share of 0.2 are 24 words.
  expect(Math.abs(changed.length - 80)).toBeLessThanOrEqual(24);
  expect(changed.filter((word) => word === "...").length).toBeGreaterThan(20);
  expect(changed.filter((word) => word === "eerht" || word === "owt").length).toBeGreaterThan(0);
  expect(noisyText(TEXT, { share: 0.2, seed: "noise" }, "task 1")).toBe(seen);
  expect(noisyText(TEXT, { share: 0.2, seed: "noise" }, "task 2")).not.toBe(seen);
  expect(noisyText(TEXT, { share: 0, seed: "noise" }, "task 1")).toBe(TEXT);
});

test("lines stay lines; a share outside 0 to 1 is refused", () => {
  expect(noisyText("a\n\nb", { share: 1, seed: "s" }, "x")).toMatch(/^\S+\n\n\S+$/);
  expect(() => withNoisyObservations(createCorridor(), { share: 1.5, seed: "s" })).toThrow(/give 0 to 1/);
});

test("the opening is clear, later observations are not, and the world is the same", async () => {
  const env = createCorridor({ rooms: 3, maxSteps: 5 });
  const task = { id: "corridor-train-0", env: "corridor", seed: 0, goal: "", split: "train" };
  const plain = await env.open(task);
  const noisy = await withNoisyObservations(env, { share: 1, seed: "s" }).open(task);
  expect(noisy.observation).toBe(plain.observation);
  const [one, other] = [await plain.step("go east"), await noisy.step("go east")];
  expect(other.observation).not.toBe(one.observation);
  expect({ ...other, observation: "" }).toEqual({ ...one, observation: "" });
  expect(noisy.stateKey).toBe(plain.stateKey);
  expect((await noisy.fork()).observation).toBe(noisy.observation);
});
