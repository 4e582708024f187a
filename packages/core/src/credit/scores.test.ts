import { createRng } from "limbeck-base/base/rng";
import { expect, test } from "vitest";
import { assign, episodes, round, together } from "../../../../test/support/credit.ts";
import { batchFromJson } from "./batch-json.ts";
import { assignCredit } from "./assign.ts";
import { gigpo } from "./gigpo.ts";
import { withoutLonePenalties } from "./scores.ts";

const step = (state: string, more: object = {}) => ({ state, reward: 0, ...more });
const refused = { valid: false };

/** All fail; one goes through a refused action. */
const failed = episodes({
  X: { outcome: 0, steps: [step("s0"), step("s0", refused)] },
  Y: { outcome: 0, steps: [step("s0")] },
});
/** One of two succeeds; the other has a refused action. */
const mixed = episodes(
  { P: { outcome: 1, steps: [step("t0", { reward: 1 })] }, Q: { outcome: 0, steps: [step("t0", refused)] } },
  "other",
);
const alone = episodes({ Z: { outcome: 0, steps: [step("u0", refused)] } }, "alone");

const advantagesOf = (batch: Parameters<typeof assign>[1]): number[] =>
  assign(gigpo, batch).advantages.map(([first = Number.NaN]) => round(first));

test("where all of a task end alike the penalty is all there is, and it goes; where they differ it stays", () => {
  // X and Y by scores 0, -0.1, 0: mean -0.1/3. By the state s0, where all three stand, the same once more.
  expect(advantagesOf(failed)).toEqual([0.066667, -0.133333, 0.066667]);
  const all = batchFromJson(together(failed, mixed, alone));
  const { rows, forgiven } = withoutLonePenalties(all);
  expect(forgiven).toBe(1);
  expect(rows.map(({ valid }) => valid)).toEqual([true, true, true, true, false, false]);
  // In the other task 1 and -0.1 stand against their mean 0.45: 0.55 each, by outcome and by state.
  expect(advantagesOf(mixed)).toEqual([1.1, -1.1]);
});

test("rows with rewards of their own tokens are left alone", () => {
  const own = episodes({
    X: { outcome: 0, steps: [{ ...step("s0", refused), tokenRewards: [0.5] }] },
    Y: { outcome: 0, steps: [step("s0")] },
  });
  expect(withoutLonePenalties(batchFromJson(own)).forgiven).toBe(0);
});

/**
 * A lock that opens when two right keys in a row are pressed, of three, and all others are refused; waiting never is. Which
 * keys are right differs from task to task, but the first is right more often than not. A policy with one chance for each
 * action, wherever it stands, learns it by GiGPO: 4 tasks of 8 episodes of 2 steps an update.
 */
function learnLock(
  seed: number,
  forgives: boolean,
): { readonly before: number; readonly after: number; readonly wait: number } {
  const rng = createRng(seed);
  const logits = [1.5, 0, 0, 0];
  const chances = (): number[] => {
    const powers = logits.map(Math.exp);
    const sum = powers.reduce((left, right) => left + right);
    return powers.map((power) => power / sum);
  };
  const pick = (weights: readonly number[]): number => {
    let left = rng.float();
    const at = weights.findIndex((weight) => (left -= weight) < 0);
    return at < 0 ? weights.length - 1 : at;
  };
  const KEYS = [0, 0.6, 0.2, 0.2];
  // Both keys of a task are drawn by the same chances as those of the lock.
  const success = (): number => chances().reduce((sum, chance, key) => sum + chance * (KEYS[key] as number), 0) ** 2;
  const before = success();
  for (let update = 0; update < 40; update += 1) {
    const acted: number[] = [];
    const tasks = Array.from({ length: 4 }, (_, task) => {
      const right = [pick(KEYS), pick(KEYS)];
      const own = Array.from({ length: 8 }, (_, at) => {
        const keys = [pick(chances()), pick(chances())];
        acted.push(...keys);
        const outcome = Number(keys.every((key, place) => key === right[place]));
        const steps = keys.map((key, place) => ({
          state: `${task} ${place} ${place === 0 || keys[0] === right[0]}`,
          reward: place === 1 ? outcome : 0,
          valid: key === 0 || key === right[place],
        }));
        return [`${task}/${at}`, { outcome, steps }] as const;
      });
      return episodes(Object.fromEntries(own), `task ${task}`);
    });
    const batch = batchFromJson(together(...tasks));
    const { advantages } = assignCredit(gigpo, forgives ? { ...batch, ...withoutLonePenalties(batch) } : batch, {});
    const now = chances();
    for (const [row, action] of acted.entries()) {
      const advantage = advantages[row]?.[0] as number;
      for (const other of logits.keys()) {
        logits[other] =
          (logits[other] as number) + 0.2 * advantage * (Number(other === action) - (now[other] as number));
      }
    }
  }
  return { before, after: success(), wait: chances()[0] as number };
}

test("from a start of 0.02 the penalty alone teaches to wait; without it success is what is learned", () => {
  for (const seed of [1, 2]) {
    const [paid, forgiven] = [learnLock(seed, false), learnLock(seed, true)];
    // (0.13 * (0.6 + 0.2 + 0.2))^2 = 0.018; the first key alone opens 0.6^2 = 0.36.
    expect(paid.before).toBeCloseTo(0.018, 3);
    expect(paid.after).toBeLessThan(0.001);
    expect(paid.wait).toBeGreaterThan(0.95);
    expect(forgiven.after).toBeGreaterThan(0.3);
  }
});
