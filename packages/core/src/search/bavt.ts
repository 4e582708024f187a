/** BAVT: explores while the budget is full, and becomes greedy as it drains. */
import { option } from "limbeck-base/base/option";
import type { Rng } from "limbeck-base/base/rng";
import { bestOf, isSolved, worthOf } from "./worth.ts";
import { grow, growOptions } from "./grow.ts";
import { defineSearch, type SearchNode } from "./search.ts";
import { progress } from "./values/progress.ts";

export const bavt = defineSearch({
  info: {
    title: "BAVT",
    paper: "Spend Less, Reason Better: Budget-Aware Value Tree Search for LLM Agents",
    confidence: "reading",
    source: "a reading of arXiv 2603.12634 in public notes",
    formula: [
      "rho = share of the budget that is left;   p(node) = V(node)^(1/rho) / sum over the open nodes",
      "the drawn node grows `width` children; a child with V(child) - V(parent) < -prune is cut off",
      "V by residual progress over the parent (value `progress`)",
      "when rho falls below `finish` and nothing has ended, the best open node is played to its end",
    ],
    meaning: "Chooses what to expand by value, ever more greedily as the remaining budget shrinks.",
    departures: [
      "Read in notes of others, which agree on p and V: `prune` and `finish` are ours; `finish` is how an answer is there when the budget ends.",
      "Without a text model to judge progress, and without another value, the signs of a line stand for V.",
      "Without any limit the share of `expansions` that is left is rho.",
    ],
  },
  options: {
    ...growOptions,
    expansions: option.count(256, "nodes to expand at most"),
    prune: option.share(0.3, "a fall of value that cuts a branch off"),
    finish: option.share(0.25, "share of the budget kept to finish an episode"),
    stop: option.flag(true, "stop once an episode has ended with value 1"),
  },
  create: ({ width, candidates, expansions, prune, finish, stop }) => ({
    value: progress.create({ start: 0.5, answerTokens: 128 }, {}),
    run: async (scope) => {
      const rng = scope.rng.split("draw");
      const ended: SearchNode[] = [];
      let open: SearchNode[] = [scope.root];
      for (let done = 0; done < expansions; done += 1) {
        const rho = Math.min(scope.left(), 1 - done / expansions);
        if (rho <= 0 || (rho < finish && ended.length === 0)) break;
        // Everything led nowhere: the policy is asked again from the start.
        if (open.length === 0) open = [scope.root];
        const at = drawOpen(open.map(worthOf), rho, rng);
        const node = open[at] as SearchNode;
        node.info = { ...node.info, rho };
        const grown = await grow(scope, node, { width, candidates });
        open = open.filter((one) => one !== node);
        if (grown.length === 0 && open.length === 0) break;
        await scope.evaluate(grown);
        ended.push(...grown.filter(({ ending }) => ending !== undefined));
        for (const child of grown.filter(({ closed }) => !closed)) {
          if (worthOf(child) - worthOf(node) >= -prune) open.push(child);
          else child.info = { ...child.info, pruned: true };
        }
        if (stop && ended.some(isSolved)) break;
      }
      if (ended.length === 0) {
        const end = await scope.walkOn(bestOf(open) ?? scope.root);
        if (end !== undefined) await scope.evaluate([end]);
        if (end !== undefined) ended.push(end);
      }
      return bestOf(ended.length > 0 ? ended : open.filter((node) => node !== scope.root));
    },
  }),
});

/** p_i = V_i^(1/rho) / sum. In logarithms, because 1/rho grows without bound; when all are 0 each is as likely. */
export function drawWeights(values: readonly number[], rho: number): number[] {
  const logs = values.map((value) => Math.log(Math.max(0, value)) / rho);
  const most = Math.max(...logs);
  const raw = logs.map((log) => (most === Number.NEGATIVE_INFINITY ? 1 : Math.exp(log - most)));
  const total = raw.reduce((sum, value) => sum + value, 0);
  return raw.map((value) => value / total);
}

function drawOpen(values: readonly number[], rho: number, rng: Rng): number {
  const weights = drawWeights(values, rho);
  let left = rng.float();
  for (const [at, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return at;
  }
  return weights.findLastIndex((weight) => weight > 0);
}
