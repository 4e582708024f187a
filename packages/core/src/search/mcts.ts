/** Monte Carlo tree search over an agent's actions, by UCT or PUCT. */
import { bestInTree } from "./worth.ts";
import { grow, growNeed, growOptions } from "./grow.ts";
import { defineSearch } from "./search.ts";
import { treeOptions, walkTree } from "./tree-walk.ts";
import { playedOut } from "./values/monte-carlo.ts";

export const mcts = defineSearch({
  info: {
    title: "MCTS",
    paper: "Bandit based Monte-Carlo Planning (UCT); AlphaZero's PUCT",
    confidence: "paper",
    source: "Kocsis and Szepesvári 2006, section on UCT; arXiv 1712.01815, methods: search",
    formula: [
      "descend by argmax of UCT: W/n + c * sqrt(ln N / n), or PUCT: W/n + c * P * sqrt(N) / (1 + n)",
      "expand a node on its second visit with `width` answers of the policy; evaluate one new child: V",
      "back up: n += 1, W += V on the line to the root",
      "P(child) = p(answer) / sum over siblings, or how often it was proposed where nobody tells p",
    ],
    meaning: "Grows a tree of actions where it looks promising or little known, and learns values from the ends.",
    departures: [
      "Subtrees with nothing new are passed over instead of visited again.",
      "A node whose children are exhausted asks the policy for further ones (`patience` fruitless askings).",
      "Without a value of the caller's, a node is worth what one continuation of the policy brings.",
    ],
  },
  options: { ...growOptions, ...treeOptions },
  create: ({ width, candidates, ...rules }) => ({
    value: playedOut(),
    run: async (scope) => {
      const growing = { width, candidates };
      await walkTree(scope, {
        ...rules,
        grow: (own, node) => grow(own, node, growing),
        need: (nodes) => growNeed(scope, nodes, growing),
      });
      return await bestInTree(scope);
    },
  }),
});
