import { expect, test } from "vitest";
import { published } from "../../../../test/support/published.ts";
import { chooseByLot, chooseByRank, ranksOf } from "./simple-tes.ts";

interface Attempt {
  readonly id: number;
  readonly worth: number;
  readonly parents: Attempt[];
}

test("the best is always among them, the others come from the best fifth, the middle or all", () => {
  const ten = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  const drawn = (...draws: number[]): number[] => chooseByLot(ten, 2, () => draws.shift() as number);
  // Best fifth: 0 and 1, of which 0 is taken. Middle: 1 to 5. All.
  expect(drawn(0.69, 0.99)).toEqual([0, 1]);
  expect(drawn(0.7, 0)).toEqual([0, 1]);
  expect(drawn(0.89, 0.99)).toEqual([0, 5]);
  expect(drawn(0.9, 0.99)).toEqual([0, 9]);
  expect(chooseByLot([3, 4], 5, () => 0)).toEqual([3, 4]);
});

test("ranks are shares of what is below", () => {
  expect(ranksOf([3, 1, 3, 2])).toEqual([0.5, 0, 0.5, 0.25]);
});

test("an attempt is worth what its children made of it, and neighbours are not chosen together", () => {
  const first: Attempt = { id: 0, worth: 0.2, parents: [] };
  const second: Attempt = { id: 1, worth: 0.4, parents: [] };
  const child: Attempt = { id: 2, worth: 1, parents: [first] };
  const all = [first, second, child];
  // V: 0.8, 0.4, 1: ranks 1/3, 0, 2/3; ranks of worth 0, 1/3, 2/3. With curiosity 0.5: 1/3, 1/6, 1.
  const options = { count: 2, explore: 0.5, decay: 0.8, uses: () => 0, rounds: 0 };
  expect(chooseByRank([child, second, first], all, options).map(({ id }) => id)).toEqual([2, 1]);
  // Used three times after eight rounds: 2/3 + 0.5 * 2/3 * 3 / 4 = 0.9167; the second 0 + 0.5 * 1/3 * 3 = 0.5; the first 1/3.
  const used = { ...options, uses: (one: Attempt) => (one === child ? 3 : 0), rounds: 8, count: 3 };
  expect(chooseByRank([child, second, first], all, used).map(({ id }) => id)).toEqual([2, 1]);
});

type Case =
  | {
      readonly select: "balance";
      readonly size: number;
      readonly count: number;
      readonly draws: readonly number[];
      readonly chosen: readonly number[];
    }
  | {
      readonly select: "rpucg";
      readonly worth: readonly number[];
      readonly parents: readonly (readonly number[])[];
      readonly chain: readonly number[];
      readonly uses: readonly number[];
      readonly rounds: number;
      readonly count: number;
      readonly explore: number;
      readonly decay: number;
      readonly chosen: readonly number[];
    };

function chosenOf(one: Case): readonly number[] {
  if (one.select === "balance") {
    const draws = [...one.draws];
    const items = Array.from({ length: one.size }, (_, at) => at);
    return chooseByLot(items, one.count, () => draws.shift() as number);
  }
  const all: Attempt[] = [];
  for (const [id, worth] of one.worth.entries()) {
    all.push({ id, worth, parents: (one.parents[id] ?? []).map((at) => all[at] as Attempt) });
  }
  const uses = new Map(one.chain.map((id, at) => [id, one.uses[at] ?? 0]));
  const chain = one.chain.map((id) => all[id] as Attempt);
  return chooseByRank(chain, all, { ...one, uses: ({ id }) => uses.get(id) ?? 0 }).map(({ id }) => id);
}

test("the published code chooses the same attempts", () => {
  const { cases } = published<Case>("simple-tes");
  expect(cases.length).toBeGreaterThan(15);
  for (const one of cases) expect({ ...one, chosen: chosenOf(one) }).toEqual(one);
});
