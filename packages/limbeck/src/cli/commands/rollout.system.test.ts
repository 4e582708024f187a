import { expect, test } from "vitest";
import { TINY_HOUSEHOLD } from "../../../../../test/support/small-command-lines.ts";
import { workplace } from "../../../../../test/support/workplace.ts";

const { run } = workplace();
const rollout = (words: readonly string[]) => run(["rollout", ...TINY_HOUSEHOLD, ...words]);

test("strategies that ask others are answered: by the world's demonstrator, and by the other runs of the store", async () => {
  const rolled = async (words: readonly string[]): Promise<Record<string, unknown>[]> => {
    const { code, err, objects } = await rollout(["--policy", "guesser", "--count", "2", "--json", ...words]);
    expect([code, err]).toEqual([0, ""]);
    return objects().filter(({ event }) => event === "trajectory");
  };
  // Where a guesser failed, the expert says what to do instead, and a branch tries that.
  for (const strategy of ["retry", "salvage"]) {
    const found = await rolled(["--strategy", strategy, "--run", strategy]);
    expect(found.some(({ parent }) => parent !== null)).toBe(true);
  }
  const [first] = [await rolled(["--group", "3", "--run", "shared-from"])];
  const shared = await rolled(["--strategy", "share", "--set", "own=1", "--set", "others=2", "--seed", "9"]);
  expect(first).toHaveLength(6);
  expect(shared.filter(({ id }) => String(id).includes("/shared-"))).toHaveLength(4);
});
