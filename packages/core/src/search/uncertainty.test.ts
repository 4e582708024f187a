import { expect, test } from "vitest";
import { sureness } from "./star.ts";

test("three samples by hand", () => {
  const half = Math.log(0.5);
  const samples = [
    { answer: "7", logprobs: [half, half] },
    { answer: "7", logprobs: [Math.log(0.9)] },
    { answer: "8", logprobs: [0, 2 * half] },
  ];
  // Confidences 0.5, 0.9 and exp(half) = 0.5; agreements 2/3, 2/3, 1/3; balance 0.25.
  const found = sureness(samples, 0.25);
  expect(found[0]?.score).toBeCloseTo(0.25 * 0.5 + 0.75 * (2 / 3), 12);
  expect(found[1]?.score).toBeCloseTo(0.25 * 0.9 + 0.75 * (2 / 3), 12);
  expect(found[2]?.score).toBeCloseTo(0.25 * 0.5 + 0.75 / 3, 12);
});

test("without tokens agreement decides", () => {
  const found = sureness([{ answer: "a", logprobs: [] }, { answer: "b", logprobs: [] }], 0.5); // prettier-ignore
  expect(found).toEqual([
    { confidence: undefined, agreement: 0.5, score: 0.5 },
    { confidence: undefined, agreement: 0.5, score: 0.5 },
  ]);
});

test("a sure minority can outdo an unsure majority, as far as the balance allows", () => {
  const samples = [
    { answer: "a", logprobs: [-3] },
    { answer: "a", logprobs: [-3] },
    { answer: "b", logprobs: [-0.01] },
  ];
  const scores = (balance: number): number[] => sureness(samples, balance).map(({ score }) => score);
  expect(Math.max(...scores(0.5))).toBe(scores(0.5)[2]);
  expect(Math.max(...scores(0))).toBe(scores(0)[0]);
});
