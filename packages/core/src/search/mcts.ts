/** Monte Carlo tree search over an agent's actions, by UCT or PUCT. */
import { bestInTree } from "./worth.ts";
import { grow, growNeed, growOptions } from "./grow.ts";
import { defineSearch } from "./search.ts";
import { treeOptions, walkTree } from "./tree-walk.ts";
import { playedOut } from "./values/monte-carlo.ts";

export const mcts = defineSearch({
  info: {
    title: "MCTS",
    paper: "Bandit based Monte-Carlo Planning (UCT); Mastering the game of Go without human knowledge (PUCT)",
    confidence: "practice",
    source:
      "Kocsis and Szepesvári 2006, section on UCT; PUCT: AlphaGo Zero, Nature 550 (2017), methods: search algorithm",
    formula: [
      "descend by argmax of UCT: W/n + c * sqrt(ln N / n), or PUCT: W/n + c * P * sqrt(N) / (1 + n)",
      "expand the root at once, another node on its second visit, with `width` answers of the policy; evaluate one new child: V",
      "back up: n += 1, W += V on the line to the root",
      "P(child) = p(answer) / sum over siblings, or how often it was proposed where p is not known",
    ],
    meaning: "Grows a tree of actions where it looks promising or little known, and learns values from the ends.",
    departures: [
      "A node stands for a path: equal states reached by two paths have statistics of their own, where UCT has one for each state at its depth; search `mcgs` joins them. Only the evaluated child joins the tree, not the states of its continuation.",
      "Subtrees with nothing new are passed over instead of visited again, and a node whose children are exhausted asks the policy for further ones (`patience` fruitless askings).",
      "Without a value of the caller's, a node is worth what one continuation of the policy brings; UCT plays at random, AlphaGo Zero asks a network.",
      "c is 1 and stays; in UCT it is 2 C_p, 1.414 for rewards within 0 and 1.",
      "AlphaGo Zero expands a leaf at its first visit into all legal moves, mixes Dirichlet noise into the root's priors, runs 1,600 rounds a move, and plays by visits. Here children are answers of the policy, P is that of the first answer that came to an action, there is no noise, 64 rounds serve the whole episode, and the line to the best end in the tree is acted on, also that of a continuation.",
      "UCT plays the action of the highest mean and searches again in the state it leads to, and gives each action the discounted rewards that came after it; here there is one search for the episode, and the whole line gets the same V.",
      "N counts a node's own evaluation too, except at the root, which has none.",
      "PUCT: values lie from 0 to 1 and a child without visits has Q = 0, as a failure; in AlphaGo Zero they lie from -1 to 1, so that the same 0 is midway between loss and win.",
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
