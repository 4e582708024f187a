/**
 * TreePS-RAG: a step is worth the mean outcome of the leaves below it, and earns what it adds to that of the step before.
 */
import { option } from "limbeck-base/base/option";
import { countOf, real, intAt } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { forks } from "./examples.ts";
import { groupStatistics } from "./groups.ts";
import { leafSums, rowTree } from "./row-tree.ts";
import { outcomeAt } from "./scores.ts";
import { deviation, epsilon } from "./shared-options.ts";

export const treepsRag = defineCredit({
  info: {
    title: "TreePS-RAG",
    paper: "TreePS-RAG: Tree-based Process Supervision for Reinforcement Learning in Agentic RAG",
    confidence: "inferred",
    formula: [
      "V(node) = mean outcome of the leaves below it;   A(node) = V(node) - V(parent)",
      "normByStd: divided by (std of the siblings' V + epsilon)",
    ],
    meaning: "Credits each search or reasoning step with how much it raised the share of good endings.",
    departures: [
      "Only the abstract was read; the difference to the parent is ours.",
      "V weighs leaves, not children: a branch that was grown further counts more (SPO-tree weighs children).",
    ],
  },
  needs: ["branches"],
  options: {
    normByStd: option.flag(false, "divide by the siblings' deviation"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
  },
  laws: { shift: true, scale: "proportional", zeroSum: false },
  example: {
    about: "Three branches of three leaves each.",
    batch: forks({ A: [1, 1, 0], B: [0, 0, 0], C: [1, 0, 0] }),
  },
  compute: (batch, options) => {
    const tree = rowTree(batch);
    const { sums, counts } = leafSums(tree, (row) => outcomeAt(batch, row));
    const values = sums.map((sum, at) => sum / Math.max(real(counts, at), 1));
    const own = values.subarray(0, batch.rows.length);
    const group = { ...options, scale: options.normByStd, singleton: "zero" };
    const { scales } = groupStatistics(own, tree.siblings, group);
    const perRow = own.map((value, at) => {
      const above = intAt(tree.siblings.of, at);
      return (value - real(values, above)) / real(scales, above);
    });
    return {
      terms: { step: { weight: 1, perRow } },
      metrics: { leaves: countOf(tree.isLeaf) },
    };
  },
});
