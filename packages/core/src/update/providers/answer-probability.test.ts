import { expect, test } from "vitest";
import { tryProvider, walkerDialect } from "../../../../../test/support/provider-bench.ts";

test("the finishing action is scored before each turn and after its observation", async () => {
  // Two rooms to go east; the last action of the demonstrator is "go east".
  const { batch, cost, metrics } = await tryProvider("answer-probability", {
    credit: "igpo",
    script: () => "go east",
    size: 1,
  });
  const answer = walkerDialect.reply("go east").length;
  const [first, second] = batch.rows.map(({ signals }) => signals?.answerLogprob);
  const before = batch.steps.map(({ span }) => span?.start as number);
  // A token with n tokens before it has -n/100; the mean over the answer's is that of its middle.
  const at = (start: number): number => -(start + (answer - 1) / 2) / 100;
  expect(first?.before).toBeCloseTo(at(before[0] as number), 6);
  expect(first?.after).toBeCloseTo(at(before[1] as number), 6);
  expect(second?.before).toBeCloseTo(at(before[1] as number), 6);
  // After the last turn the closing observation is read as a message.
  expect(second?.after).toBeLessThan(second?.before as number);
  expect(metrics).toMatchObject({ "answer-probability/tasksWithAnswer": 1, "answer-probability/lost": 0 });
  expect(cost.environmentSteps).toBe(2);
  expect(cost.modelTokens).toBeGreaterThan(0);
});

test("a demonstrator that fails leaves no reference answer, and a world without one is refused by name", async () => {
  const west = { id: "west", summary: "Goes west.", start: () => ({ next: () => "go west" }) };
  const { batch } = await tryProvider("answer-probability", { credit: "igpo", demonstrator: west });
  expect(batch.rows.every(({ gold }) => gold === null)).toBe(true);
  await expect(tryProvider("answer-probability", { credit: "igpo", demonstrator: undefined })).rejects.toThrow(
    'The world "corridor" has no demonstrator',
  );
});
