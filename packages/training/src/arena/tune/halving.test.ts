import { expect, test } from "vitest";
import { halve, rankedTrials, roundSizes, type Halving, type Round } from "./halving.ts";

/** Success after some steps: a line from 0.2 with a slope of its own. */
const SLOPES: Readonly<Record<string, number>> = { a: 1e-3, b: 2e-3, c: 0, d: 3e-3, e: -1e-3, f: 0.5e-3 };

interface Scripted {
  readonly halving: Halving;
  readonly asked: (readonly [string, number])[];
  readonly saved: Round[][];
}

/** Two seeds; each run spends what it is given and 2 steps more, since updates are whole. */
function scripted(budget: number, done: readonly Round[] = []): Scripted {
  const [asked, saved]: [Scripted["asked"], Round[][]] = [[], []];
  const spentBy = new Map(done.flatMap(({ trials, amount }) => trials.map((name) => [name, amount + 2] as const)));
  const halving: Halving = {
    trials: Object.keys(SLOPES),
    seeds: 2,
    budget,
    done,
    train: (trials, amount) => {
      for (const name of trials) spentBy.set(name, amount + 2);
      asked.push([trials.join(""), amount]);
      const scores = Object.fromEntries(
        trials.map((name) => [name, [0.2, 0.3].map((start) => start + (SLOPES[name] ?? 0) * amount)]),
      );
      return Promise.resolve({ scores, spent: [...spentBy.values()].reduce((sum, one) => sum + 2 * one, 0) });
    },
    onRound: (rounds) => {
      saved.push([...rounds]);
      return Promise.resolve();
    },
  };
  return { halving, asked, saved };
}

test("sizes halve, rounded up, until one would be left", () => {
  expect([2, 3, 4, 6, 8, 9].map(roundSizes)).toEqual([[2], [3, 2], [4, 2], [6, 3, 2], [8, 4, 2], [9, 5, 3, 2]]);
});

test("every round spends the same share of what is left, and the better half goes on", async () => {
  const { halving, asked, saved } = scripted(1_800);
  const rounds = await halve(halving);
  // Round 1: 1800 / 3 / (6 trials * 2 seeds) = 50. Spent: 12 runs * 52 = 624.
  // Round 2: (1800 - 624) / 2 / (3 * 2) = 98 more, to 148. d, b, a rise most. Spent: 6 * 150 + 6 * 52 = 1212.
  // Round 3: (1800 - 1212) / 1 / (2 * 2) = 147 more, to 295. Spent: 4 * 297 + 2 * 150 + 6 * 52 = 1800.
  expect(asked).toEqual([
    ["abcdef", 50],
    ["abd", 148],
    ["bd", 295],
  ]);
  expect(rounds.map(({ spent }) => spent)).toEqual([624, 1_212, 1_800]);
  expect(saved.map((one) => one.length)).toEqual([1, 2, 3]);
  const last = rounds.at(-1) as Round;
  expect(rankedTrials(last.trials, last.scores)).toEqual(["d", "b"]);
});

test("a tune that goes on does no round again and ends alike", async () => {
  const whole = await halve(scripted(1_800).halving);
  const again = scripted(1_800, whole.slice(0, 1));
  expect(await halve(again.halving)).toEqual(whole);
  expect(again.asked.map(([trials]) => trials)).toEqual(["abd", "bd"]);
});

test("a budget that the first round has spent ends the tune there", async () => {
  // 20 / 3 / 12 is less than a step: each is given 1, and spends 3; 36 in all.
  const { halving, asked } = scripted(20);
  expect((await halve(halving)).map(({ spent }) => spent)).toEqual([36]);
  expect(asked).toEqual([["abcdef", 1]]);
});

test("where time is the budget, what a run costs beside its training is taken off", async () => {
  const { halving } = scripted(1_800);
  const given: number[] = [];
  const train: Halving["train"] = async (trials, amount, round) => {
    given.push(amount);
    return { ...(await halving.train(trials, amount, round)), overhead: 18 };
  };
  await halve({ ...halving, train });
  // Nobody knows it before the first round. Round 2: 98 - 18 = 80 more, to 130; spent 6 * 132 + 6 * 52 = 1104.
  // Round 3: (1800 - 1104) / 4 - 18 = 156 more, to 286.
  expect(given).toEqual([50, 130, 286]);
});

test("a failed run puts its trial last, and equal ones stay in order", () => {
  const scores = { a: [0.5, 0.5], b: [0.9, null], c: [0.4, 0.6], d: [0.7, 0.5], e: [] };
  expect(rankedTrials(["a", "b", "c", "d", "e"], scores)).toEqual(["d", "a", "c", "b", "e"]);
});
