/** ETS: process-guided tree search that keeps different meanings alive while its lines share their beginnings. */
import { option } from "../base/index.ts";
import { allocateChildren } from "../walk/allocate-children.ts";
import { bestOf } from "./choose.ts";
import { growNeed } from "./grow.ts";
import { keepLeaves } from "./keep-leaves.ts";
import { isSolved, worthOf } from "./line-signs.ts";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { defineSearch, type SearchScope } from "./search.ts";

export const ets = defineSearch({
  info: {
    title: "ETS",
    paper: "ETS: Efficient Tree Search for Inference-Time Scaling",
    confidence: "paper",
    formula: [
      "w_i = exp(V_i / temperature) / sum over the leaves",
      "kept leaves S maximise sum over S of w_i - shared * |nodes on lines to S| / |nodes| + diverse * |meanings in S| / |meanings|",
      "round: `width` answers are asked for from S, in proportion to w (at least one each)",
    ],
    meaning: "Prunes a search tree by a small linear programme that weighs worth, shared prefixes and diversity.",
    departures: [
      "Solved exactly by branch and bound where the paper calls a solver.",
      "Meanings are told by `alike` on the last action (embeddings where they are given), not by a clustering of embeddings.",
      "Leaves that ended take no further part: they wait for the end of the search.",
    ],
  },
  options: {
    width: option.count(8, "answers of one round"),
    shared: option.number(1, "weight of kept nodes (lambda_b)", { least: 0 }),
    diverse: option.number(1, "weight of covered meanings (lambda_d)", { least: 0 }),
    temperature: option.number(0.2, "of the shares of worth", { least: 0.01 }),
    stop: option.flag(true, "stop once an episode has ended with value 1"),
  },
  create: ({ width, shared, diverse, temperature, stop }) => ({
    run: async (scope) => {
      const ended: SearchNode[] = [];
      let open: SearchNode[] = [scope.root];
      let reached: SearchNode[] = [];
      while (open.length > 0) {
        const kept = await prune(scope, open, { shared, diverse, temperature });
        // A round has `width` answers; more leaves than that cannot go on.
        const going = kept.toSorted((left, right) => right.share - left.share).slice(0, width);
        const total = going.reduce((sum, { share }) => sum + share, 0);
        const counts = allocateChildren(
          width,
          going.map(({ share }) => share / total),
          "likely",
        );
        const need = growNeed(
          scope,
          going.map(({ node }) => node),
          { width: Math.max(...counts), candidates: "policy" },
        );
        const grown = await scope.each(going, (own, { node }, at) => own.expand(node, { count: counts[at] ?? 1 }), {
          need,
        });
        const fresh = grown.flat();
        await scope.evaluate(fresh);
        ended.push(...fresh.filter(({ ending }) => ending !== undefined));
        reached = fresh.length > 0 ? fresh : reached;
        open = fresh.filter(({ closed }) => !closed);
        if (stop && ended.some(isSolved)) break;
      }
      return bestOf(ended.length > 0 ? ended : reached);
    },
  }),
});

interface Pruning {
  readonly shared: number;
  readonly diverse: number;
  readonly temperature: number;
}

/** The leaves that go on, with their shares of worth. */
async function prune(
  scope: SearchScope,
  leaves: readonly SearchNode[],
  { shared, diverse, temperature }: Pruning,
): Promise<{ readonly node: SearchNode; readonly share: number }[]> {
  const worths = leaves.map((leaf) => worthOf(leaf) / temperature);
  const most = Math.max(...worths);
  const raw = worths.map((worth) => Math.exp(worth - most));
  const total = raw.reduce((sum, value) => sum + value, 0);
  const meanings = await scope.meanings(leaves.map(({ action = "" }) => action));
  const { leaves: kept } = keepLeaves(
    leaves.map((leaf, at) => ({
      weight: (raw[at] as number) / total,
      line: lineTo(leaf).map(({ path }) => path),
      meaning: meanings[at] as number,
    })),
    { shared, diverse },
  );
  const staying = new Set(kept);
  for (const [at, leaf] of leaves.entries()) if (!staying.has(at)) leaf.info = { ...leaf.info, pruned: true };
  return kept.map((at) => ({ node: leaves[at] as SearchNode, share: (raw[at] as number) / total }));
}
