/**
 * MARS2: a node's reward is shaped by how it compares with its parent and its siblings, then compared with its task.
 *
 *   r' = r + alpha * (r - base)      base = (1 - mix) * r(parent) + mix * mean(r of the other siblings)
 */
import { option } from "../base/index.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { forks } from "./examples.ts";
import { groupAdvantages } from "./group-advantages.ts";
import { rowTree } from "./row-tree.ts";
import { deviation, epsilon, singleton } from "./shared-options.ts";

export const mars2 = defineCredit({
  info: {
    title: "MARS2",
    paper: "MARS2, multi-agent tree search with reward shaping",
    confidence: "code",
    formula: [
      "base = (1 - mix) * r(parent) + mix * mean(r of the other siblings); where one is missing the other alone; none: r' = r",
      "r' = r + alpha * (r - base);   A = (r' - mean) / (std + epsilon) over the rows of one task",
    ],
    meaning: "Makes a node's reward larger where it improves on its parent and its siblings.",
    departures: [
      "Published code shapes in place, so that children see the shaped reward of their parent, and siblings their rewards as given; here from a copy. Option inPlace, parents before children.",
    ],
  },
  needs: ["branches", "stepRewards"],
  options: {
    alpha: option.number(0.5, "weight of the comparison"),
    mix: option.number(0.5, "share of the siblings in the base", { least: 0, most: 1 }),
    inPlace: option.flag(false, "children compare with the shaped reward of their parent"),
    singleton: singleton("raw"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
  },
  laws: { shift: true, scale: "same", zeroSum: true },
  example: {
    about: "A node worth 0.4 whose three children earn 0.8, 0.5 and 0.7.",
    batch: forks({ A: [1, 0, 0] }, (_, leaf) => ({ reward: leaf === null ? 0.4 : ([0.8, 0.5, 0.7][leaf] ?? 0) })),
  },
  compute: (batch, options) => {
    const rewards = Float64Array.from(batch.rows, ({ reward }) => reward);
    const shaped = shape(batch, rewards, options);
    const groups = { of: batch.index.taskOf, count: batch.index.tasks };
    const { advantages, metrics } = groupAdvantages(shaped, groups, { ...options, scale: true });
    return { terms: { shaped: { weight: 1, perRow: advantages } }, metrics };
  },
});

/** Rewards after shaping. */
export function shape(
  batch: IndexedBatch,
  rewards: Float64Array,
  options: { readonly alpha: number; readonly mix: number; readonly inPlace: boolean },
): Float64Array {
  const tree = rowTree(batch);
  const shaped = rewards.slice();
  const { of, count } = tree.siblings;
  const sums = new Float64Array(count);
  const sizes = new Int32Array(count);
  for (const [at, reward] of rewards.entries()) {
    const group = of[at] as number;
    sums[group] = (sums[group] as number) + reward;
    sizes[group] = (sizes[group] as number) + 1;
  }
  // Parents come first, so that in place a parent is shaped when its children look at it.
  for (const at of tree.order) {
    const group = of[at] as number;
    const own = rewards[at] as number;
    const others = (sizes[group] as number) - 1;
    const siblings = others === 0 ? undefined : ((sums[group] as number) - own) / others;
    const above = tree.parent[at] as number;
    const parent = above === -1 ? undefined : ((options.inPlace ? shaped : rewards)[above] as number);
    const base = mixed(parent, siblings, options.mix) ?? own;
    shaped[at] = own + options.alpha * (own - base);
  }
  return shaped;
}

function mixed(parent: number | undefined, siblings: number | undefined, mix: number): number | undefined {
  if (parent === undefined || siblings === undefined) return parent ?? siblings;
  return (1 - mix) * parent + mix * siblings;
}
