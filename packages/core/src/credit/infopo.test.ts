import { expect, test } from "vitest";
import { assign, episodes, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { infopo } from "./infopo.ts";

/** A step whose tokens were `gain` likelier with the observation before them. */
const step = (gain: number, length = 1) => ({
  mask: Array.from({ length }, () => 1),
  logprobs: { old: Array.from({ length }, () => -1), withoutObservation: Array.from({ length }, () => -1 - gain) },
});
const first = { logprobs: { old: [-1] } };
const dialogues = (outcomes: readonly [number, number]) =>
  episodes({
    X: { outcome: outcomes[0], steps: [first, step(0.6), step(0.2)] },
    Y: { outcome: outcomes[1], steps: [first, step(0.4), step(0)] },
  });

test("gains against the task's gains that are not 0, through a gate of one half", () => {
  // Gains of turns: X 0.6, 0.2, none; Y 0.4, 0, none. Of 0.6, 0.2, 0.4: mean 0.4, std 0.2; 0.2 / 0.200001 = 0.999995.
  // Outcomes equal: gate 0.5, beta 0.1. Deviation of a over 6 tokens 0.632, below 1: ratio 1.
  expect(rowAdvantages(infopo, dialogues([0, 0]))).toEqual([0.05, -0.05, 0, 0, 0, 0]);
});

test("the gate shuts as outcomes differ", () => {
  // sigmoid(-0.05 / 0.05) = 0.268941, sigmoid(-0.5 / 0.05) = 0.000045. Deviation of two outcomes: difference / sqrt(2).
  const gate = (deviation: number) => assign(infopo, dialogues([deviation * Math.SQRT2, 0])).metrics["meanGate"]!;
  expect(gate(0.05)).toBeCloseTo(0.268941, 6);
  expect(gate(0.5)).toBeCloseTo(0.000045, 6);
  expect(gate(0)).toBe(0.5);
});

test("every token has the outcome alike, or every turn", () => {
  const batch = episodes({
    X: { outcome: 1, steps: [first, step(0, 3)] },
    Y: { outcome: 0, steps: [first, step(0, 1)] },
  });
  // X: 4 tokens in 2 turns; 4 / 2 / 1 = 2 and 4 / 2 / 3 = 2/3 of 0.707106. The mean over its tokens stays.
  expect(rowAdvantages(infopo, batch)).toEqual([0.707106, 0.707106, -0.707106, -0.707106]);
  const equal = rowAdvantages(infopo, batch, { equalTurns: true });
  expect(equal).toEqual([1.414212, 0.471404, -0.707106, -0.707106]);
});

test("a next action without tokens has no effect to measure, and the part fades with epochs", () => {
  const mute = episodes({
    X: { outcome: 0, steps: [first, { ...step(0.6), mask: [0] }] },
    Y: { outcome: 0, steps: [first, { ...step(0.2), mask: [0] }] },
  });
  expect(rowAdvantages(infopo, mute)).toEqual([0, 0, 0, 0]);
  // beta * exp(-ln 2) = 0.05, times the gate.
  const faded = rowAdvantages(infopo, dialogues([0, 0]), { decay: Math.LN2, epoch: 1 });
  expect(faded.map(round)).toEqual([0.025, -0.025, 0, 0, 0, 0]);
});

test("alone: the outcome counts and the gate is shut", () => {
  const one = episodes({ X: { outcome: 1, steps: [first, step(0.6)] } });
  // sigmoid(-1 / 0.05) = 2e-9.
  expect(rowAdvantages(infopo, one)).toEqual([0.999999, 0.999999]);
});
