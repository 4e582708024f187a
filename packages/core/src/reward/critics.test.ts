import { expect, test } from "vitest";
import { asked, judgeSaying, perStep, withActions } from "../../../../test/support/reward.ts";
import { createRng } from "limbeck-base/base/rng";
import { critics } from "./critics.ts";
import { askRewards } from "./give-rewards.ts";

const four = [withActions("a", ["look", "take", "drop", "go"])];

test("a turn that two of three name is at fault; what one made up is not", async () => {
  const givens = judgeSaying('{"faults": [1, 2]}', 'Well: {"faults": ["2"]} indeed', '{"faults": [3, 2, 1]}');
  // Votes: turn 1 two, turn 2 three, turn 3 one. At fault: 1 and 2. R = 2 / 4.
  const { rewards } = await askRewards(critics, four, { givens });
  expect(perStep(rewards[0] ?? [], "critics")).toEqual([1, 0, 0, 1]);
  expect(rewards[0]?.[0]?.score).toEqual({ kind: "scored", value: 0.5 });
  expect(rewards[0]?.[4]?.comment).toBe("named by 1 of 3");
  expect(await asked(critics, four, judgeSaying('{"faults": []}'))).toEqual([1]);
});

test("too few usable critiques are no score", async () => {
  const one = judgeSaying('{"faults": [1]}', "no faults that I can see", new Error("gone"));
  expect(await asked(critics, four, one)).toEqual([
    "unscored: 1 of 3 critiques could be used: the critic failed: gone",
  ]);
  expect(await asked(critics, four, judgeSaying('{"faults": [9]}'))).toEqual([
    "unscored: 0 of 3 critiques could be used: the answer names a turn that is not there",
  ]);
  expect(await asked(critics, [withActions("a", [])], judgeSaying("x"))).toEqual(["unscored: it has no steps"]);
  await expect(asked(critics, four, judgeSaying("x"), { options: { critiques: 1 } })).rejects.toThrow(
    "minCritiques of critics is 2; it takes at most critiques",
  );
});

test("three noisy critics together are better than each alone", async () => {
  const rng = createRng("critics");
  const turns = Array.from({ length: 10 }, (_, at) => at);
  const [merged, single] = [
    { hits: 0, extra: 0, missed: 0 },
    { hits: 0, extra: 0, missed: 0 },
  ];
  const count = (into: typeof merged, named: ReadonlySet<number>, planted: ReadonlySet<number>): void => {
    for (const turn of turns) {
      if (named.has(turn) && planted.has(turn)) into.hits += 1;
      else if (named.has(turn)) into.extra += 1;
      else if (planted.has(turn)) into.missed += 1;
    }
  };
  for (let round = 0; round < 100; round += 1) {
    const planted = new Set(turns.filter(() => rng.float() < 0.3));
    const judge = (): Promise<string> => {
      // Sees a fault in 4 of 5 cases, and makes one up in 1 of 5.
      const faults = turns.filter((turn) => rng.float() < (planted.has(turn) ? 0.8 : 0.2));
      count(single, new Set(faults), planted);
      return Promise.resolve(JSON.stringify({ faults }));
    };
    const { rewards } = await askRewards(critics, [withActions("a", turns.map(String))], { givens: { judge } });
    const right = perStep(rewards[0] ?? [], "critics");
    count(merged, new Set(turns.filter((turn) => right[turn] === 0)), planted);
  }
  const f1 = ({ hits, extra, missed }: typeof merged): number => (2 * hits) / (2 * hits + extra + missed);
  // One alone: precision 0.24 / (0.24 + 0.14) = 0.63, recall 0.8, F1 0.71. Two of three: 0.896 seen, 0.104 made up:
  // precision 0.269 / (0.269 + 0.073) = 0.79, F1 0.84.
  expect(f1(single)).toBeCloseTo(0.71, 1);
  expect(f1(merged)).toBeCloseTo(0.84, 1);
  expect(f1(merged)).toBeGreaterThan(f1(single) + 0.05);
});
