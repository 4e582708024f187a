import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../../test/support/samples.ts";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { mixedValue, rankSiblings } from "./agent-q.ts";
import { findPairs } from "./index.ts";

test("the mix of search and critic, and pairs above the threshold, the widest first", () => {
  // 0.5 * 0.8 + 0.5 * 0.2 = 0.5; 0.5 * 0.4 + 0.5 * 0.4 = 0.4; no critic: 0.1; not explored: no value, whatever a critic gave.
  const siblings = [
    { name: "x", searched: 0.8, process: 0.2 },
    { name: "y", searched: 0.4, process: 0.4 },
    { name: "z", searched: 0.1, process: undefined },
    { name: "w", searched: undefined, process: 0.9 },
    { name: "?", searched: undefined, process: undefined },
  ];
  expect(siblings.map((one) => mixedValue(one, 0.5))).toEqual([0.5, 0.4, 0.1, undefined, undefined]);
  const ranked = rankSiblings(siblings, { mix: 0.5, gap: 0.15 });
  // x-z 0.4, y-z 0.3; x-y 0.1 is too close.
  expect(ranked.map(({ better, worse }) => `${better.name}${worse.name}`)).toEqual(["xz", "yz"]);
  expect(ranked[0]?.gap).toBeCloseTo(0.4, 12);
});

test("a critic's word about a step can turn the order round", () => {
  const one = (id: string, action: string, value: number, process: number): Trajectory =>
    sampleTrajectory(id, {
      steps: [sampleStep(0, { action })],
      reward: scored(value),
      rewards: [{ name: "process", source: "critic", score: scored(process), step: 0 }],
    });
  const tree = [one("left", "left", 1, 0), one("right", "right", 0.5, 1)];
  // Search alone: 1 against 0.5. Mixed: 0.5 against 0.75.
  expect(findPairs("agent-q", tree, { mix: 1 })[0]?.chosen.trajectory).toBe("left");
  const [mixed] = findPairs("agent-q", tree, { mix: 0.5 });
  expect(mixed?.chosen.trajectory).toBe("right");
  expect(mixed?.margin).toBeCloseTo(0.25, 12);
});

const ACTIONS = ["left", "right", "up"];
const DEPTH = 3;

/** What a path earns: a number of its own, the same every time. */
const earned = (path: readonly string[]): number => createRng(`leaf ${path.join(" ")}`).float();

/** The exact value of a prefix when every action is as likely. */
function valueOf(path: readonly string[]): number {
  return path.length === DEPTH ? earned(path) : mean(ACTIONS.map((action) => valueOf([...path, action])));
}

function simulation(id: string, path: readonly string[]): Trajectory {
  const steps = path.map((action, index) => {
    const seen = path.slice(0, index).join(" ");
    return sampleStep(index, { observation: `after ${seen}`, action });
  });
  return sampleTrajectory(id, { steps, reward: scored(earned(path)) });
}

/** Share of the pairs whose order is that of the true values. */
function rightShare(tree: readonly Trajectory[]): number {
  const byId = new Map(tree.map((one) => [one.id, one]));
  const pathTo = (trajectory: string, step: number): string[] =>
    (byId.get(trajectory)?.steps ?? []).slice(0, step + 1).map(({ action }) => action);
  const pairs = findPairs("agent-q", tree, { gap: 0 });
  const right = pairs.filter(({ chosen, rejected }) => {
    const [better, worse] = [chosen, rejected].map(({ trajectory, steps }) =>
      valueOf(pathTo(trajectory, steps[0] ?? 0)),
    );
    return (better ?? 0) > (worse ?? 0);
  });
  return right.length / pairs.length;
}

function simulations(count: number, rng: Rng): Trajectory[] {
  return Array.from({ length: count }, (_, at) => {
    const path = Array.from({ length: DEPTH }, () => ACTIONS[rng.int(ACTIONS.length)] as string);
    return simulation(`${at}`, path);
  });
}

test("the order of pairs agrees with the true values the more, the more is searched, and wholly once all is counted out", () => {
  const shares = [4, 16, 64, 1_024].map((count) =>
    mean(Array.from({ length: 8 }, (_, seed) => rightShare(simulations(count, createRng(`search ${count} ${seed}`))))),
  );
  expect(shares).toEqual(shares.toSorted((left, right) => left - right));
  expect(shares[0]).toBeLessThan(0.9);
  expect(shares.at(-1)).toBeGreaterThan(0.97);
  const all = ACTIONS.flatMap((one) => ACTIONS.flatMap((two) => ACTIONS.map((three) => [one, two, three])));
  const counted = all.map((path, at) => simulation(`${at}`, path));
  // 13 points with 3 ways each: 39 pairs.
  expect(findPairs("agent-q", counted, { gap: 0 })).toHaveLength(39);
  expect(rightShare(counted)).toBe(1);
});
