/** AB-MCTS: at every node the tree decides by Thompson sampling whether to grow wider or to go deeper. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import type { Rng } from "limbeck-base/base/rng";
import { drawBeta } from "limbeck-base/base/statistics/beta-draw";
import { drawMean, learnt, type NormalInverseGamma } from "limbeck-base/base/statistics/normal-inverse-gamma";
import { lineTo, nodesBelow, type SearchNode } from "../walk/tree/node.ts";
import { bestInTree, worthiestNode } from "./worth.ts";
import { defineSearch, type SearchScope } from "./search.ts";
import { anySolved } from "./tree-walk.ts";
import { playedOut } from "./values/monte-carlo.ts";

const options = {
  distribution: option.choice("gaussian", ["gaussian", "beta"], "what is believed of values"),
  priorMean: option.number(0, "gaussian: a mean believed beforehand, as by one value"),
  priorVariance: option.number(0.1, "gaussian: a variance believed beforehand, as by one value", { above: 0 }),
  prior: option.number(0.5, "beta: how much of each, of 0 and of 1, was seen beforehand", { least: 0.01 }),
  iterations: option.count(64, "children at most"),
  patience: option.count(2, "fruitless askings after which a node has no new children"),
  stop: option.flag(true, "stop once an episode has ended with value 1"),
};

type Prior = Pick<OptionValues<typeof options>, "distribution" | "priorMean" | "priorVariance" | "prior">;

/** Values that were seen, and what is believed of their mean. */
export class Scores {
  count = 0;
  mean = 0;
  squares = 0;
  readonly before: Prior;

  constructor(before: Prior) {
    this.before = before;
  }

  add(value: number): void {
    if (this.before.distribution === "beta" && !(value >= 0 && value <= 1)) {
      throw new EngineError(
        "bad-value",
        `A value of ab-mcts is ${value}; with distribution "beta" it must be from 0 to 1.`,
      );
    }
    const apart = value - this.mean;
    this.count += 1;
    this.mean += apart / this.count;
    this.squares += apart * (value - this.mean);
  }

  get gaussian(): NormalInverseGamma {
    const { priorMean: mean, priorVariance: variance } = this.before;
    return learnt({ mean, kappa: 1, nu: 1, variance }, this);
  }

  get beta(): { readonly a: number; readonly b: number } {
    const good = this.count * this.mean;
    return { a: this.before.prior + good, b: this.before.prior + this.count - good };
  }

  draw(rng: Rng): number {
    if (this.before.distribution === "gaussian") return drawMean(this.gaussian, rng);
    const { a, b } = this.beta;
    return drawBeta(a, b, rng);
  }
}

/** What new children of a node are worth, what lies below them, and itself with all below; askings in vain. */
class Beliefs {
  readonly wider: Scores;
  readonly deeper: Scores;
  readonly whole: Scores;
  fruitless = 0;

  constructor(before: Prior) {
    [this.wider, this.deeper, this.whole] = [new Scores(before), new Scores(before), new Scores(before)];
  }
}

export const abMcts = defineSearch({
  info: {
    title: "Adaptive branching MCTS (AB-MCTS)",
    paper: "Wider or Deeper? Scaling LLM Inference-Time Compute with Adaptive Branching Tree Search, arXiv 2503.04412",
    confidence: "code",
    source:
      "SakanaAI/treequest @ e6865b72; src/treequest/algos/ab_mcts_a/prob_state.py: ProbabilisticDist, NodeProbState; algo.py: ABMCTSA",
    formula: [
      "at a node: draw what is believed of v for wider (values of its new children) and for deeper (of all below them)",
      "wider wins: one new child, evaluated: v; deeper wins: the child with the largest draw of its own, and so on down",
      "v counts for wider where the child is new, for deeper at every node above, and for each child on the way",
      "gaussian, after n values of mean v' and squares S: kappa = nu = 1 + n, m = (m0 + n v') / kappa, tau2 = (tau0 + S + n (m0 - v')^2 / kappa) / nu;   sigma2 ~ inverse gamma(nu / 2, nu tau2 / 2), draw ~ N(m, sigma2 / kappa)",
      "beta: draw ~ Beta(prior + sum v, prior + sum (1 - v))",
    ],
    meaning:
      "Grows a tree whose width is not fixed: each node decides anew whether another action or a known one is worth more.",
    departures: [
      "Without a value of the caller's, a node is worth what one continuation of the policy brings; a child without any value stays, believed of as beforehand.",
      "An action that is there already makes no second child and is not counted for wider; in the source every answer is a new node.",
      "Stops once an episode, a continuation included, has ended with value 1; the source goes on. Option stop.",
      "Acts on the best episode that ended, continuations included, of equals the shorter; where none ended, on the best-valued node, as the source always does (of equals the first).",
      "With gaussian, values beyond 0 and 1 are taken; the source refuses them.",
      "64 rounds are ours, and a round without a new child counts; in the source the caller says how many.",
      "The beta prior has one number for both sides; the source has two.",
      "A node is a moment of an episode and not a whole answer that is refined.",
      "Children that have ended, and nodes that bring no new action any more, are passed over.",
      "Only the aggregated form (A) with one generator; the mixed model (M) needs a sampler of its own, and several models to choose among are not offered.",
      "The weights of the gaussian prior (kappa and nu) are the 1 of published code; its mean, its variance and the prior of beta are options.",
    ],
  },
  options,
  create: ({ iterations, patience, stop, ...before }) => ({
    value: playedOut(),
    run: async (scope) => {
      const known = new Map<SearchNode, Beliefs>();
      const of = (node: SearchNode): Beliefs => {
        const beliefs = known.get(node) ?? new Beliefs(before);
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
          if (fruitless < patience && (children.length === 0 || wider.draw(rng) >= deeper.draw(rng))) break;
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
          node.total += child.estimate;
          of(node).whole.add(child.estimate);
          if (node !== child && node !== leaf) of(node).deeper.add(child.estimate);
        }
        if (stop && anySolved([child])) break;
      }
      const grown = (root: SearchNode): SearchNode | undefined =>
        worthiestNode(nodesBelow(root).filter((node) => node !== root && !node.simulated));
      return await bestInTree(scope, grown);
    },
  }),
});

/** One new child, evaluated; undefined when the policy has nothing new to say, or it cannot be paid. */
async function another(scope: SearchScope, node: SearchNode): Promise<SearchNode | undefined> {
  const children = await scope.expand(node);
  await scope.evaluate(children);
  return children[0];
}
