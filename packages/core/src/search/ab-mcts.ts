/** AB-MCTS: at every node the tree decides by Thompson sampling whether to grow wider or to go deeper. */
import { option } from "limbeck-base/base/option";
import type { Rng } from "limbeck-base/base/rng";
import { drawBeta } from "limbeck-base/base/statistics/beta-draw";
import { lineTo, nodesBelow, type SearchNode } from "../walk/tree/node.ts";
import { bestInTree, isSolved } from "./worth.ts";
import { defineSearch, type SearchScope } from "./search.ts";
import { playedOut } from "./values/monte-carlo.ts";

/** Values that were seen, with one of each kind beforehand. */
class Scores {
  good = 1;
  bad = 1;

  add(value: number): void {
    this.good += value;
    this.bad += 1 - value;
  }

  draw(rng: Rng): number {
    return drawBeta(this.good, this.bad, rng);
  }
}

/** What new children of a node are worth, what lies below them, and itself with all below; askings in vain. */
class Beliefs {
  readonly wider = new Scores();
  readonly deeper = new Scores();
  readonly whole = new Scores();
  fruitless = 0;
}

export const abMcts = defineSearch({
  info: {
    title: "Adaptive branching MCTS (AB-MCTS)",
    paper: "Wider or Deeper? Scaling LLM Inference-Time Compute with Adaptive Branching Tree Search, arXiv 2503.04412",
    confidence: "inferred",
    formula: [
      "at a node: draw from Beta(1 + sum v, 1 + sum (1 - v)) for wider (values of its new children) and for deeper (of all below them)",
      "wider wins: one new child, evaluated: v; deeper wins: the child with the largest draw of its own, and so on down",
      "v counts for wider where the child is new, for deeper at every node above, and for each child on the way",
    ],
    meaning:
      "Grows a tree whose width is not fixed: each node decides anew whether another action or a known one is worth more.",
    departures: [
      "A node is a moment of an episode and not a whole answer that is refined.",
      "Children that have ended, and nodes that bring no new action any more, are passed over.",
      "Only the aggregated form with Beta draws; the mixed model of the paper needs a sampler of its own.",
    ],
  },
  options: {
    iterations: option.count(64, "children at most"),
    patience: option.count(2, "fruitless askings after which a node has no new children"),
    stop: option.flag(true, "stop once an episode has ended with value 1"),
  },
  create: ({ iterations, patience, stop }) => ({
    value: playedOut(),
    run: async (scope) => {
      const known = new Map<SearchNode, Beliefs>();
      const of = (node: SearchNode): Beliefs => {
        const beliefs = known.get(node) ?? new Beliefs();
        known.set(node, beliefs);
        return beliefs;
      };
      const isOpen = (node: SearchNode): boolean =>
        !node.closed && (of(node).fruitless < patience || node.children.some(isOpen));
      for (let round = 0; round < iterations && isOpen(scope.root); round += 1) {
        const rng = scope.rng.split(`round ${round}`);
        let leaf = scope.root;
        for (;;) {
          const { wider, deeper, fruitless } = of(leaf);
          const children = leaf.children.filter(isOpen);
          if (fruitless < patience && (children.length === 0 || wider.draw(rng) > deeper.draw(rng))) break;
          const draws = children.map((child) => of(child).whole.draw(rng));
          leaf = children[draws.indexOf(Math.max(...draws))] as SearchNode;
        }
        const child = await another(scope, leaf);
        const beliefs = of(leaf);
        beliefs.fruitless = child === undefined ? beliefs.fruitless + 1 : 0;
        if (child?.estimate === undefined) continue;
        beliefs.wider.add(child.estimate);
        for (const node of lineTo(child)) {
          node.visits += 1;
          of(node).whole.add(child.estimate);
          if (node !== child && node !== leaf) of(node).deeper.add(child.estimate);
        }
        if (stop && nodesBelow(child).some(isSolved)) break;
      }
      return await bestInTree(scope);
    },
  }),
});

/** One new child, evaluated; undefined when the policy has nothing new to say, or it cannot be paid. */
async function another(scope: SearchScope, node: SearchNode): Promise<SearchNode | undefined> {
  const children = await scope.expand(node);
  await scope.evaluate(children);
  return children[0];
}
