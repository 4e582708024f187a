import { expect, test } from "vitest";
import { asked, sampleTrajectory } from "../../../../test/support/reward.ts";
import { EngineError } from "limbeck-base/base/errors";
import { askRewards } from "./give-rewards.ts";
import { verifier } from "./verifier.ts";
import type { Verdict } from "./reward.ts";

const batch = (count: number) => Array.from({ length: count }, (_, at) => sampleTrajectory(`t${at}`));

/** A verifier that gives these answers to t0, t1 and so on. */
const saying = (answers: readonly unknown[]) => ({
  verify: (trajectory: { readonly id: string }) => answers[Number(trajectory.id.slice(1))] as Verdict,
});

test("numbers, flags, null and comments", async () => {
  const answers = [0.25, true, false, null, { score: 1, comment: "7 of\n7 tests" }];
  const given = saying(answers);
  expect(await asked(verifier, batch(5), given)).toEqual([0.25, 1, 0, "unscored: the verifier could not say", 1]);
  const { rewards } = await askRewards(verifier, batch(5), { givens: given, as: "tests" });
  expect(rewards[4]).toEqual([
    { name: "tests", source: "reward:verifier", score: { kind: "scored", value: 1 }, comment: "7 of 7 tests" },
  ]);
});

test("NaN, infinity and things that are no numbers are unscored with the reason", async () => {
  expect(await asked(verifier, batch(4), saying([Number.NaN, Infinity, "1", undefined]))).toEqual([
    "unscored: the verifier said NaN, which is not a finite number",
    "unscored: the verifier said Infinity, which is not a finite number",
    "unscored: the verifier said something of type string, which is not a finite number",
    "unscored: the verifier could not say",
  ]);
});

test("a verifier that throws costs one score, and its text cannot write to a terminal", async () => {
  const verify = (trajectory: { readonly id: string }): number => {
    if (trajectory.id === "t1") throw new Error("\u001b[2Jbad\nthing");
    return 1;
  };
  expect(await asked(verifier, batch(3), { verify })).toEqual([1, "unscored: the verifier failed: [2Jbad thing", 1]);
});

test("bounds", async () => {
  const options = { least: 0, most: 1 };
  expect(await asked(verifier, batch(2), saying([1.5, 0.5]), { options })).toEqual([
    "unscored: the verifier said 1.5, outside 0 to 1",
    0.5,
  ]);
});

test("without a verifier it refuses, and a cancelled run is cancelled rather than unscored", async () => {
  await expect(askRewards(verifier, batch(1))).rejects.toThrow("needs verify, which was not given");
  const verify = (): number => {
    throw new EngineError("cancelled", "stop");
  };
  await expect(asked(verifier, batch(1), { verify })).rejects.toThrow("stop");
});
