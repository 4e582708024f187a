import { expect, test } from "vitest";
import { finished, scoreOf } from "../../../../../test/support/finished-episode.ts";

test("a reward by name, as it is or from a bound on", async () => {
  const gold = { name: "outcome", settings: { from: "success" } };
  expect(await scoreOf({ use: "reward", options: gold }, finished(["a"], undefined, true))).toBe(1);
  expect(await scoreOf({ use: "reward", options: { ...gold, least: 2 } }, finished(["a"], undefined, true))).toBe(0);
  expect(await scoreOf({ use: "reward", options: { name: "outcom" } }, finished(["a"]))).toContain(
    'Did you mean "outcome"',
  );
});

test("what is not from 0 to 1 is no grade", async () => {
  const steps = { name: "outcome", settings: { from: "reward" } };
  const episode = finished(["a"]);
  const paid = { ...episode, trajectory: { ...episode.trajectory, reward: { kind: "scored" as const, value: 10 } } };
  expect(await scoreOf({ use: "reward", options: steps }, paid)).toContain("gave 10");
});
