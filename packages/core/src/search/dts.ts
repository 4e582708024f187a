/** A tree that samples: ends are reached in proportion to the policy's chance times exp(sharpness * value) (DTS). */
import { drawWeighted } from "limbeck-base/base/rng";
import { option } from "limbeck-base/base/option";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { bestInTree } from "./worth.ts";
import { defineSearch, type SearchScope } from "./search.ts";

export const dts = defineSearch({
  info: {
    title: "DTS",
    paper: "Diffusion Tree Sampling: Scalable inference-time alignment of diffusion models, arXiv 2506.20701",
    confidence: "reading",
    source:
      "paper's project page (diffusion-tree-sampling.github.io: selection, expansion, rollout, backup) and a third party's public reproduction of arXiv 2506.20701 for Stable Diffusion 3.5, from which the constants are; the authors' vineetjain96/Diffusion-Tree-Sampling could not be had",
    formula: [
      "W(end) = exp(sharpness * V);   W(node) = sum over children of copies * W / sum of copies;   V_soft = log W / sharpness",
      "descend by drawing children in proportion to copies * W; widen while copies < ceil(widen * max(1, visits)^growth)",
      "a new child is played to its end, and W is taken anew on the line to the root",
      "sample: down once more by the same draw;   greedy: descend by V_soft + c * sqrt(ln N / n), the best end counts",
    ],
    meaning:
      "Grows a tree whose soft values make a draw down it follow the policy's distribution tilted towards good ends, ever closer with more budget; greedy, it looks for the best end.",
    departures: [
      "Steps of an agent in the place of denoising steps, and answers that are the same are one child with its count of copies.",
      "Greedy acts on the best end that was reached; the reproduction goes down once more by V_soft alone.",
      "The reproduction's widening is for trees of many narrow steps; with few steps of few ways, sharpness 4, widen 2, growth 0.6 and exploration 0.5 find more.",
      "An end that is drawn again is counted again and not played again; greedy passes over what has ended.",
    ],
  },
  options: {
    sharpness: option.number(1, "how strongly good ends are preferred: the inverse of the temperature", { above: 0 }),
    choose: option.choice("greedy", ["greedy", "sample"], "the best end, or a draw from the tilted distribution"),
    iterations: option.count(64, "ends to reach at most"),
    widen: option.number(1, "answers asked of a node at its first visit", { above: 0 }),
    growth: option.number(0.5, "how fast more are asked with its visits", { least: 0, most: 1 }),
    exploration: option.number(1, "c of greedy", { least: 0 }),
    stop: option.flag(true, "greedy: begin nothing further once an end is valued 1"),
  },
  create: ({ sharpness, choose, iterations, widen, growth, exploration, stop }) => ({
    run: async (scope) => {
      const soft = new Map<SearchNode, number>();
      const weightOf = (node: SearchNode): number => soft.get(node) ?? 0;
      const greedy = choose === "greedy";
      /** Nodes where sampling gave nothing new: greedy goes there no more. */
      const spent = new Set<SearchNode>();
      /** Down by one child: a draw, or the most promising one. */
      const down = (node: SearchNode): SearchNode | undefined => {
        const known = node.children.filter((child) => soft.has(child) && !child.dropped);
        if (!greedy)
          return drawWeighted(
            known.map((child) => [child, child.copies * weightOf(child)]),
            scope.rng,
          );
        const promise = (child: SearchNode): number =>
          Math.log(Math.max(weightOf(child), Number.MIN_VALUE)) / sharpness +
          exploration * Math.sqrt(Math.log(Math.max(1, node.visits)) / child.visits);
        const open = known.filter((child) => !child.closed && !spent.has(child));
        return open.toSorted((left, right) => promise(right) - promise(left))[0];
      };
      const backUp = (node: SearchNode): void => {
        for (const above of lineTo(node).toReversed()) {
          const known = above.children.filter((child) => soft.has(child));
          const copies = known.reduce((sum, child) => sum + child.copies, 0);
          if (copies > 0)
            soft.set(above, known.reduce((sum, child) => sum + child.copies * weightOf(child), 0) / copies);
        }
      };
      for (let round = 0; round < iterations; round += 1) {
        const end = await reachEnd(scope, { down, widen, growth, greedy, spent });
        if (end === undefined) {
          if (scope.left() === 0 || !greedy || spent.has(scope.root)) break;
          continue;
        }
        await scope.evaluate([end]);
        if (end.estimate === undefined) continue;
        soft.set(end, Math.exp(sharpness * end.estimate));
        for (const above of lineTo(end)) above.visits += 1;
        backUp(end);
        // Of the root, as far as it is known by now: log of the mean of exp(sharpness * value) under the policy.
        end.info = { softValue: Math.log(weightOf(scope.root)) / sharpness };
        if (greedy && stop && end.estimate === 1) break;
      }
      if (greedy) return await bestInTree(scope);
      let node = scope.root;
      for (let next = down(node); next !== undefined; next = down(node)) node = next;
      return node === scope.root ? undefined : node;
    },
  }),
});

interface Descent {
  readonly down: (node: SearchNode) => SearchNode | undefined;
  readonly widen: number;
  readonly growth: number;
  readonly greedy: boolean;
  readonly spent: Set<SearchNode>;
}

/** From the root to an end: along the tree, and with the policy alone from where something new begins. */
async function reachEnd(scope: SearchScope, descent: Descent): Promise<SearchNode | undefined> {
  const { down, widen, growth, greedy, spent } = descent;
  for (let node = scope.root; ;) {
    if (node.closed) return node;
    const copies = node.children.reduce((sum, child) => sum + child.copies, 0);
    const next = down(node);
    if (copies < Math.ceil(widen * Math.max(1, node.visits) ** growth) || next === undefined) {
      const before = node.children.map((child) => child.copies);
      const [fresh] = await scope.expand(node);
      if (fresh !== undefined) return fresh.closed ? fresh : ((await scope.walkOn(fresh)) ?? fresh);
      // The answer was one that is there: it counts once more, and the way goes on through it.
      const again = node.children.find((child, at) => child.copies > (before[at] ?? 0));
      if (greedy && next === undefined) spent.add(node);
      if (again === undefined || (greedy && (again.closed || spent.has(again)))) return undefined;
      node = again;
      continue;
    }
    node = next;
  }
}
