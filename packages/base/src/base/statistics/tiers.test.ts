import { expect, test } from "vitest";
import { standings } from "./tiers.ts";

/** From "a>b" to a function. */
function judge(...verdicts: readonly string[]) {
  return (left: string, right: string): string | null => {
    if (verdicts.includes(`${left}>${right}`)) return left;
    return verdicts.includes(`${right}>${left}`) ? right : null;
  };
}

test("a chain that overlaps: the middle one belongs to both groups", () => {
  const { arms, winner } = standings(["a", "b", "c"], judge("a>c"));
  expect(arms).toEqual([
    { name: "a", letters: "a", bestRank: 1, worstRank: 2 },
    { name: "b", letters: "ab", bestRank: 1, worstRank: 3 },
    { name: "c", letters: "b", bestRank: 2, worstRank: 3 },
  ]);
  expect(winner).toBeNull();
});

test("nothing separated is one tier without a winner; everything separated is a ranking", () => {
  const same = standings(["a", "b", "c"], judge());
  expect(same.arms.map(({ letters }) => letters)).toEqual(["a", "a", "a"]);
  expect(same.winner).toBeNull();
  const ranked = standings(["a", "b", "c"], judge("a>b", "a>c", "b>c"));
  expect(ranked.arms.map(({ letters, bestRank, worstRank }) => [letters, bestRank, worstRank])).toEqual([
    ["a", 1, 1],
    ["b", 2, 2],
    ["c", 3, 3],
  ]);
  expect(ranked.winner).toBe("a");
  expect(standings(["alone"], judge()).winner).toBeNull();
});

test("letters are the largest sets: four arms in a ring of two separations", () => {
  // Separated: a-c and b-d. Largest sets without a separated pair: {a,b}, {a,d}, {b,c}, {c,d}.
  const { arms } = standings(["a", "b", "c", "d"], judge("a>c", "b>d"));
  const letters = Object.fromEntries(arms.map(({ name, letters }) => [name, letters.split("")]));
  const share = (left: string, right: string): boolean => letters[left]!.some((one) => letters[right]!.includes(one));
  expect([share("a", "c"), share("b", "d")]).toEqual([false, false]);
  expect([share("a", "b"), share("a", "d"), share("b", "c"), share("c", "d")]).toEqual([true, true, true, true]);
  expect(letters["a"]).toHaveLength(2);
});
