import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory } from "../../../../test/support/reward.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { StrategyTally } from "./effect.ts";
import { allStrategies } from "./registry.ts";
import { tree } from "./tree.ts";

const NOTHING = { tasks: 2, prefix: "1/", kept: undefined };

/** Steps of so many tokens each, after what was read. */
function said(id: string, tokens: readonly number[], parent?: Trajectory["parent"], read = 0): Trajectory {
  const first = parent?.step ?? 0;
  const length = read + tokens.reduce((sum, count) => sum + count, 0);
  const mask = new Uint8Array(length).fill(1, read);
  let start = read;
  const steps = tokens.map((count, at) => {
    const from = start;
    start += count;
    return sampleStep(first + at, { span: { stream: 0, start: from, end: start } });
  });
  return sampleTrajectory(id, {
    group: "1/a",
    steps,
    streams: [{ ids: new Int32Array(length), mask }],
    ...(parent === undefined ? {} : { parent }),
  });
}

test("tokens saved, by hand: against as many whole episodes", () => {
  const tally = new StrategyTally();
  // 10 + 10 tokens; a branch after the first step with 10 of its own; one that left that 4 tokens into its answer.
  tally.add(said("r", [10, 10]));
  tally.add(said("b", [10], { trajectory: "r", step: 1 }, 12));
  tally.add(said("c", [6], { trajectory: "b", step: 1, token: 4 }, 16));
  // And one that left that one after 2 of its 6: 10 + 4 + 2 are shared.
  tally.add(said("d", [4], { trajectory: "c", step: 1, token: 2 }, 18));
  // 40 tokens were said; four whole episodes have 20 each.
  expect(tally.metrics(tree.effect, NOTHING)).toEqual({ "strategy/branches": 3, "strategy/tokensSaved": 1 - 40 / 80 });
});

test("a branch that was dropped saves nothing and costs what it said; one at the root is none", () => {
  const tally = new StrategyTally();
  tally.add(said("r", [10, 10]));
  tally.add({ ...said("b", [5], { trajectory: "r", step: 1 }, 12), reward: unscored("stopped: similar") });
  tally.add({ ...said("c", [20], { trajectory: "r", step: 0 }), reward: scored(1) });
  expect(tally.metrics(tree.effect, NOTHING)).toEqual({ "strategy/branches": 0, "strategy/tokensSaved": 1 - 45 / 40 });
});

test("plain groups are what others are compared with; every other strategy says what it counts, and how 0 is mended", () => {
  const { group, ...others } = allStrategies;
  expect(group.effect).toBeUndefined();
  for (const { effect } of Object.values(others)) {
    expect(effect?.counts).toMatch(/\w/);
    expect(effect?.remedy).toMatch(/\w.*\.$/);
    expect(effect?.count([], { ...NOTHING, tasks: 0 })).toBe(0);
  }
});

test.each([
  { name: "archive", info: { archive: { from: "x" } }, other: {} },
  { name: "guided", info: { guidedSteps: 2 }, other: { guidedSteps: 0 } },
  { name: "prune", info: { stopped: "pruned" }, other: { stopped: "tokens" } },
  { name: "salvage", info: { salvage: { step: 1 } }, other: {} },
  { name: "share", info: { shared: { trajectory: "x" } }, other: {} },
  { name: "chain", info: { chain: { carried: 1 } }, other: { chain: { carried: 0 } } },
] as const)("$name counts episodes by what is noted in them", ({ name, info, other }) => {
  const episodes = [info, other].map((own, at) => sampleTrajectory(`1/a/${at}`, { group: "1/a", info: own }));
  expect(allStrategies[name].effect?.count(episodes, NOTHING)).toBe(1);
});

test("groups tell: given again, passed over, extra; and what is kept", () => {
  const of = (groups: readonly string[]) =>
    groups.map((group, at) => sampleTrajectory(`${group}/${at}`, { group, info: {} }));
  const count = (name: keyof typeof allStrategies, groups: readonly string[], more = {}) =>
    allStrategies[name].effect?.count(of(groups), { ...NOTHING, ...more });
  expect(count("replay", ["2/a", "1/b", "1/b", "1/c"], { prefix: "2/" })).toBe(2);
  expect(count("curriculum", ["1/a", "1/a"], { tasks: 4 })).toBe(3);
  expect(count("allocate", ["1/a", "1/b", "1/b", "1/b", "1/c", "1/c"])).toBe(3);
  expect(count("partial", [], { kept: { groups: 3, tokens: 9 } })).toBe(3);
});

test("guided and whole episodes: the share of groups whose rewards differ, by hand", () => {
  const of = (group: string, guidedSteps: number, values: readonly number[]) =>
    values.map((value, at) =>
      sampleTrajectory(`${group}/${guidedSteps}-${at}`, { group, info: { guidedSteps }, reward: scored(value) }),
    );
  const tally = new StrategyTally();
  // Whole episodes all fail in both groups; guided ones differ in one of the two.
  for (const one of [
    ...of("1/a", 0, [0, 0]),
    ...of("1/a", 2, [0, 1]),
    ...of("1/b", 0, [0, 0]),
    ...of("1/b", 2, [1, 1]),
  ]) {
    tally.add(one);
  }
  expect(tally.metrics(allStrategies.guided.effect, NOTHING)).toEqual({
    "strategy/guidedEpisodes": 4,
    "strategy/mixedGuided": 0.5,
    "strategy/mixedFull": 0,
  });
});
