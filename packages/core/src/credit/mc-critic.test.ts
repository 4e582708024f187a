import { describe, expect, test } from "vitest";
import { answers, assign, episodes, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { grpo } from "./grpo.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { mcCritic, mixedValue } from "./mc-critic.ts";

const step = (reward: number, before: number, fields: object = {}) => ({
  reward,
  signals: { stateValue: { before } },
  ...fields,
});

test("turn-level differences of Monte Carlo values", () => {
  // 0 + 0.9 * 0.4 - 0.7 = -0.34    1 + 0 - 0.4 = 0.6
  const batch = episodes({ X: { outcome: 1, steps: [step(0, 0.7), step(1, 0.4)] } });
  expect(rowAdvantages(mcCritic, batch)).toEqual([-0.34, 0.6]);
  // lambda 0.5: -0.34 + 0.9 * 0.5 * 0.6 = -0.07.
  expect(rowAdvantages(mcCritic, batch, { lambda: 0.5 })).toEqual([-0.07, 0.6]);
});

test("beside a learned critic", () => {
  // 0.1 * 0.5 + 0.9 * 0.7 = 0.68.
  const row = { mask: Uint8Array.of(0, 1), values: Float64Array.of(9, 0.5), signals: { stateValue: { before: 0.7 } } };
  expect(mixedValue(row, 0.9)).toBeCloseTo(0.68, 12);
  const batch = episodes({ X: { outcome: 1, steps: [step(1, 0.7, { values: [0.5] })] } });
  expect(rowAdvantages(mcCritic, batch, { mix: 0.9 })).toEqual([0.32]);
  expect(() => rowAdvantages(mcCritic, episodes({ X: { outcome: 1, steps: [step(1, 0.7)] } }), { mix: 0.9 })).toThrow(
    /value estimate/,
  );
});

test("a value head learns advantage plus mixed value, at the trained tokens of the turn", () => {
  const steps = [step(0, 0.7, { mask: [0, 1, 1], values: [9, 0.5, 9] }), step(1, 0.4, { values: [0.2] })];
  const batch = episodes({ X: { outcome: 1, steps } });
  const targets = (options: Readonly<Record<string, number>>) =>
    assign(mcCritic, batch, options).returns?.map((row) => Array.from(row, round));
  // V 0.1 * 0.5 + 0.9 * 0.7 = 0.68 and 0.1 * 0.2 + 0.9 * 0.4 = 0.38. A: 0.9 * 0.38 - 0.68 = -0.338 and 1 - 0.38 = 0.62.
  const { advantages } = assign(mcCritic, batch, { mix: 0.9 });
  expect(advantages.map((row) => Array.from(row, round))).toEqual([[0, -0.338, -0.338], [0.62]]);
  expect(targets({ mix: 0.9 })).toEqual([[0, 0.342, 0.342], [1]]);
  // lambda 0.5: A -0.338 + 0.9 * 0.5 * 0.62 = -0.059.
  expect(targets({ mix: 0.9, lambda: 0.5 })).toEqual([[0, 0.621, 0.621], [1]]);
  // Without a head there is nothing to learn.
  expect(targets({ mix: 1 })).toBe(undefined);
});

test("cut off: what the last state is worth", () => {
  // 0 + 0.9 * 0.5 - 0.7.
  const batch = episodes({
    X: { outcome: 0, steps: [{ reward: 0, signals: { stateValue: { before: 0.7, after: 0.5 } } }] },
  });
  expect(rowAdvantages(mcCritic, batch)).toEqual([-0.25]);
});

const acts = (...values: number[]) =>
  answers(
    values.map(() => 0),
    values.map((actionValue) => ({ state: "s", signals: { actionValue, legalValues: [0.1, 0.3, 0.2, 0.6] } })),
  );

test("values of actions, among those sampled in one state", () => {
  // 0.2, 0.6, 0.4: mean 0.4, std 0.2; 0.2 / 0.20001 = 0.999950.
  expect(rowAdvantages(mcCritic, acts(0.2, 0.6, 0.4), { form: "grpo" })).toEqual([-0.99995, 0.99995, 0]);
});

test("all did the same: against all legal actions", () => {
  // Mean 0.3, squares 0.04 + 0 + 0.01 + 0.09 = 0.14, / 4 as published code has it, std 0.187083: 0.3 / 0.187083 = 1.603567.
  expect(rowAdvantages(mcCritic, acts(0.6, 0.6), { form: "grpo" })).toEqual([1.603567, 1.603567]);
  expect(rowAdvantages(mcCritic, acts(0.6), { form: "grpo" })).toEqual([1.603567]);
});

test("one legal action, or equal ones, give 0", () => {
  const forced = (legalValues: number[]) => answers([0], [{ state: "s", signals: { actionValue: 0.6, legalValues } }]);
  expect(rowAdvantages(mcCritic, forced([0.6]), { form: "grpo" })).toEqual([0]);
  expect(rowAdvantages(mcCritic, forced([0.5, 0.5]), { form: "grpo" })).toEqual([0]);
});

describe("turn advantages on the same rollouts (ProAct)", () => {
  const TURNS = 4;
  const NEEDED = 3;
  const GROUP = 8;
  /** Worth of having come so far: the mean outcome of so many random ways on, as `continuations.by=random` plays them. */
  const valueByPlay = (turn: number, good: number, rng: Rng, plays: number): number => {
    let won = 0;
    for (let play = 0; play < plays; play += 1) {
      let reached = good;
      for (let at = turn; at < TURNS; at += 1) reached += rng.int(2);
      won += Number(reached >= NEEDED);
    }
    return won / plays;
  };

  /** Right or wrong with equal chance, four times; three right ones win. All that two methods say of each (state, action). */
  const advantagesBy = (plays: number): Record<"grpo" | "mc", Map<string, number[]>> => {
    const found = { grpo: new Map<string, number[]>(), mc: new Map<string, number[]>() };
    for (let seed = 0; seed < 60; seed += 1) {
      const rng = createRng(`proact ${seed}`);
      const places: string[] = [];
      const group = Object.fromEntries(
        Array.from({ length: GROUP }, (_, member) => {
          let good = 0;
          const turns = Array.from({ length: TURNS }, (_unused, turn) => {
            const before = valueByPlay(turn, good, rng, plays);
            const action = rng.int(2);
            places.push(`${turn} ${good} ${action}`);
            good += action;
            return { state: `${turn} ${good - action}`, signals: { stateValue: { before } } };
          });
          const outcome = Number(good >= NEEDED);
          const steps = turns.map((turn, at) => ({ ...turn, reward: at === TURNS - 1 ? outcome : 0 }));
          return [`e${member}`, { outcome, steps }];
        }),
      );
      const batch = episodes(group);
      const said = { grpo: rowAdvantages(grpo, batch), mc: rowAdvantages(mcCritic, batch, { gamma: 1 }) };
      for (const method of ["grpo", "mc"] as const) {
        for (const [at, place] of places.entries()) {
          found[method].set(place, [...(found[method].get(place) ?? []), said[method][at] as number]);
        }
      }
    }
    return found;
  };

  /** How much of the variance of all advantages is not told by state and action: noise. */
  const noise = (of: Map<string, number[]>): { readonly within: number; readonly share: number } => {
    const all = [...of.values()].flat();
    const squares = (values: readonly number[], centre = mean(values)): number =>
      values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
    const within = [...of.values()].reduce((sum, values) => sum + squares(values), 0) / all.length;
    return { within, share: within / (squares(all) / all.length) };
  };

  test("values from random play leave less variance at the same state and action than GRPO's outcomes do", () => {
    const { grpo: outcomes, mc } = advantagesBy(64);
    const [plain, valued] = [noise(outcomes), noise(mc)];
    expect(valued.within).toBeLessThan(0.1 * plain.within);
    // Not because the numbers are smaller: as a share of their own variance too.
    expect(valued.share).toBeLessThan(0.5 * plain.share);
  });

  test("more plays, less variance", () => {
    expect(noise(advantagesBy(64).mc).within).toBeLessThan(noise(advantagesBy(4).mc).within);
  });
});

publishedCredit("mc-critic", mcCritic);
