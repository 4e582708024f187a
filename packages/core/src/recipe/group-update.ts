/** An update without a teacher: act, compare, learn. What the recipes of this kind differ in is credit and loss. */
import { type PolicyLoss, learn } from "../update/learn.ts";
import type { Recipe } from "./recipe.ts";
import { collect } from "../update/collect.ts";
import { credit } from "../update/credit.ts";

export function groupUpdate(loss: PolicyLoss): Recipe["update"] {
  return async (update) => {
    const episodes = await collect(update);
    const { rows } = await credit(update, episodes);
    await learn(update, rows, loss);
  };
}
