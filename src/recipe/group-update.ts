/** An update without a teacher: act, compare, learn. What the recipes of this kind differ in is credit and loss. */
import type { PolicyLoss } from "../update/learn.ts";
import type { Recipe } from "./recipe.ts";

export function groupUpdate(loss: PolicyLoss): Recipe["update"] {
  return async (bench) => {
    const episodes = await bench.collect();
    const { rows } = await bench.credit(episodes);
    await bench.learn(rows, loss);
  };
}
