import { beforeAll, expect, test } from "vitest";
import { testTrainer, type TestTrainer } from "../../../../test/support/trainer.ts";
import { checkTinkerServer } from "./run.ts";

let trainer: TestTrainer;
beforeAll(async () => {
  trainer = await testTrainer({ apiKey: "tml-test" });
});

test("limbeck trainer is green: every required case passes, and it has none of the known faults", async () => {
  const { green, results } = await checkTinkerServer({ url: trainer.url, apiKey: "tml-test" });
  const others = results
    .filter(({ outcome }) => outcome !== "passes")
    .map(({ name, outcome, note }) => [name, outcome, note]);
  expect(others).toEqual([
    ["gspo", "lacks", "refused with 422"],
    ["dppo", "lacks", "refused with 422"],
    ["dro", "lacks", "refused with 422"],
  ]);
  expect(green).toBe(true);
});
