/** Segment policy optimisation on trees (SPO-tree): each row is an edge, credited with the change of value along it. */
import { option } from "../base/index.ts";
import { real, whole } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { forks } from "./examples.ts";
import { groupStatistics } from "./groups.ts";
import { childMeans, rowTree, type RowTree } from "./row-tree.ts";
import { outcomeAt } from "./scores.ts";

/** Differences below this are rounding. */
const NOTHING = 1e-12;

export const spoTree = defineCredit({
  info: {
    title: "SPO-tree",
    paper: "Segment Policy Optimization, arXiv 2505.23564",
    confidence: "code",
    formula: [
      "V(node) = mean of V over its children, a leaf its outcome;   A(edge) = V(child) - V(parent)",
      "grpo: divided by (std of the siblings + epsilon), the deviation over n",
      "bestOfWeight c > 0 adds c * (BoK(child) - BoK(parent)),   BoK(v) = 1 - (1 - v)^bestOf",
      "edges whose advantage is 0 are dropped",
    ],
    meaning: "Credits each segment of a sampled tree with how much it raised the chance of success.",
    departures: [
      "A segment is a row; first rows of a task hang from one root.",
      "Published code keeps edges for 8 updates, at most 32 a question; that is the recipe's business.",
    ],
  },
  needs: ["branches"],
  options: {
    form: option.choice("rloo", ["rloo", "grpo"], "the difference, or that over the siblings' deviation"),
    bestOfWeight: option.number(0, "weight of the best-of-k part; 5 where published code uses it", { least: 0 }),
    bestOf: option.count(4, "k of the best-of-k part"),
    dropZero: option.flag(true, "leave edges without advantage out of training"),
    epsilon: option.number(1e-8, "added to the siblings' deviation", { least: 1e-12 }),
  },
  laws: { shift: true, scale: "proportional", zeroSum: true },
  example: {
    about: "Three branches of three leaves each.",
    batch: forks({ A: [1, 1, 0], B: [0, 0, 0], C: [1, 0, 0] }),
  },
  compute: (batch, options) => {
    const tree = rowTree(batch);
    const values = childMeans(tree, (row) => outcomeAt(batch, row));
    const edges = edgeAdvantages(tree, values, options);
    const best = values.map((value) => 1 - (1 - value) ** options.bestOf);
    const bestOf = rises(tree, best);
    const total = edges.map((value, at) => value + options.bestOfWeight * real(bestOf, at));
    const dropped = options.dropZero ? [...total.keys()].filter((at) => Math.abs(real(total, at)) < NOTHING) : [];
    return {
      terms: {
        edge: { weight: 1, perRow: edges },
        ...(options.bestOfWeight === 0 ? {} : { bestOf: { weight: options.bestOfWeight, perRow: bestOf } }),
      },
      metrics: { droppedEdges: dropped.length },
      dropped,
    };
  },
});

function edgeAdvantages(
  tree: RowTree,
  values: Float64Array,
  options: { readonly form: string; readonly epsilon: number },
): Float64Array {
  const edges = rises(tree, values);
  if (options.form === "rloo") return edges;
  const group = { singleton: "zero", deviation: "population", epsilon: options.epsilon };
  const { scales } = groupStatistics(values.subarray(0, edges.length), tree.siblings, group);
  return edges.map((edge, at) => edge / real(scales, whole(tree.siblings.of, at)));
}

/** V(child) - V(parent) of each row. */
function rises({ siblings }: RowTree, values: Float64Array): Float64Array {
  return values.subarray(0, siblings.of.length).map((value, at) => value - real(values, whole(siblings.of, at)));
}
