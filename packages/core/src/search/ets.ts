/** ETS: process-guided tree search that keeps different meanings alive while its lines share their beginnings. */
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import { allocateChildren, softmax } from "../walk/shares.ts";
import { bestOf, isSolved, worthOf } from "./worth.ts";
import { growNeed } from "./grow.ts";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { defineSearch, type SearchScope } from "./search.ts";

const options = {
  width: option.count(8, "answers of one round"),
  shared: option.number(1, "weight of kept nodes (lambda_b)", { least: 0 }),
  diverse: option.number(1, "weight of covered meanings (lambda_d)", { least: 0 }),
  temperature: option.number(0.2, "of the shares of worth", { least: 0.01 }),
  stop: option.flag(true, "stop once an episode has ended with value 1"),
};

type Pruning = Pick<OptionValues<typeof options>, "shared" | "diverse" | "temperature">;

export const ets = defineSearch({
  info: {
    title: "ETS",
    paper: "ETS: Efficient Tree Search for Inference-Time Scaling",
    confidence: "code",
    source: "SqueezeAILab/ETS @ ac937a72; rebase.py: select_softmax_costmodel",
    formula: [
      "w_i = exp(V_i / temperature) / sum over the leaves",
      "kept leaves S maximise sum over S of w_i - shared * |nodes on lines to S| / |nodes| + diverse * |meanings in S| / |meanings|",
      "round: `width` answers are asked for, one from each leaf of S and the others in proportion to w",
    ],
    meaning: "Prunes a search tree by a small linear programme that weighs worth, shared prefixes and diversity.",
    departures: [
      "Solved by branch and bound where published code calls a solver; exact, unless 100,000 tries are not enough: then the best so far. With shared=0 nodes cost nothing; published code pays them 1e-4 / |nodes| each.",
      "Published code rounds shares of worth up to answers of the round, the largest first, before the programme and again after it, so that the last kept leaves may get none; here shares are exact, every kept leaf gets one answer and the others go by largest remainder (8 answers, shares 0.7 and 0.3: 6 and 2 there, 5 and 3 here). Of equal leaves the last is served first there, the first here.",
      "Published runs have widths of 16, 64 and 256, weigh meanings by 1.5, 1.4 and 1.45, and end lines at 25 steps or 1,024 tokens; here 8 and 1, and lines end as the world ends them.",
      "The published width falls by one for each line that has ended; here every round has all of it. Leaves that ended wait for the end of the search.",
      "Published answers are voted on, each ended line with the score of its last step; lines that were cut off have no vote, and without an ended line there is no answer. Here the worthiest end is taken, cut-off ones among them (of equals the shorter), or where no line has ended the worthiest node of the last round, and the search stops once one is worth 1 (stop).",
      "Published worth is a process reward model's score of the last step; here it is the value function's, and without one 0.9 of the signs of the line.",
      "Meanings are classes of the last action by `alike` (equal but for case and space; where embeddings are given cosine 0.95 to the first of a class); published code clusters embeddings of the last step by average linkage, cut at cosine distance 0.05.",
    ],
  },
  options,
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

/** The leaves that go on, with their shares of worth. */
async function prune(
  scope: SearchScope,
  leaves: readonly SearchNode[],
  { shared, diverse, temperature }: Pruning,
): Promise<{ readonly node: SearchNode; readonly share: number }[]> {
  const shares = softmax(leaves.map((leaf) => worthOf(leaf) / temperature));
  const meanings = await scope.meanings(leaves.map(({ action = "" }) => action));
  const { leaves: kept } = keepLeaves(
    leaves.map((leaf, at) => ({
      weight: shares[at] as number,
      line: lineTo(leaf).map(({ path }) => path),
      meaning: meanings[at] as number,
    })),
    { shared, diverse },
  );
  const staying = new Set(kept);
  for (const [at, leaf] of leaves.entries()) if (!staying.has(at)) leaf.info = { ...leaf.info, pruned: true };
  return kept.map((at) => ({ node: leaves[at] as SearchNode, share: shares[at] as number }));
}

/**
 * Which leaves of a tree to keep: worth much, sharing their beginnings, covering every meaning. A 0/1 linear programme:
 *
 *   maximise   sum_i w_i x_i  -  shared * |nodes on lines to kept leaves| / |nodes|  +  diverse * |meanings kept| / |meanings|
 *
 * w: shares of worth that sum to 1. Solved exactly by branch and bound; trees of this kind are small. When `mostTries`
 * is not enough, the best so far is given with the bound that is left, so that it is not taken for the optimum.
 */
export interface LeafToKeep {
  readonly weight: number;
  /** Names of the nodes on its line, itself included. */
  readonly line: readonly string[];
  readonly meaning: number;
}

export interface KeepOptions {
  readonly shared: number;
  readonly diverse: number;
  readonly mostTries?: number;
}

export interface KeptLeaves {
  /** Indices of the leaves that are kept, rising; at least one. */
  readonly leaves: readonly number[];
  readonly score: number;
  /** No choice scores more than this; equal to the score when it is the optimum. */
  readonly bound: number;
}

export function keepLeaves(all: readonly LeafToKeep[], options: KeepOptions): KeptLeaves {
  const { mostTries = 100_000 } = options;
  const nodes = new Set(all.flatMap(({ line }) => line)).size;
  const meanings = new Set(all.map(({ meaning }) => meaning)).size;
  const [nodeCost, meaningGain] = [options.shared / Math.max(1, nodes), options.diverse / Math.max(1, meanings)];
  // The heaviest first: good choices are found early, and bounds cut sooner.
  const order = [...all.keys()].toSorted((left, right) => weightOf(all, right) - weightOf(all, left) || left - right);
  /** What the leaves from a place on could add at most: their weight, and meanings that are not covered yet. */
  const weightAfter = order.map((_, at) => order.slice(at).reduce((sum, leaf) => sum + weightOf(all, leaf), 0));
  let best: { leaves: readonly number[]; score: number } = { leaves: [], score: Number.NEGATIVE_INFINITY };
  let tries = 0;
  let bound = Number.NEGATIVE_INFINITY;
  const kept = { nodes: new Map<string, number>(), meanings: new Map<number, number>(), leaves: [] as number[] };
  const score = (): number =>
    kept.leaves.reduce((sum, leaf) => sum + weightOf(all, leaf), 0) -
    nodeCost * kept.nodes.size +
    meaningGain * kept.meanings.size;
  const atMost = (place: number): number => {
    const open = new Set(order.slice(place).map((leaf) => all[leaf]?.meaning ?? 0));
    const fresh = [...open].filter((meaning) => !kept.meanings.has(meaning)).length;
    return score() + (weightAfter[place] ?? 0) + meaningGain * fresh;
  };
  const visit = (place: number): void => {
    if (kept.leaves.length > 0 && score() > best.score) best = { leaves: [...kept.leaves], score: score() };
    const most = place < order.length ? atMost(place) : Number.NEGATIVE_INFINITY;
    if (most <= best.score) return;
    if (tries >= mostTries) {
      bound = Math.max(bound, most);
      return;
    }
    tries += 1;
    const leaf = order[place] as number;
    add(kept, all, leaf);
    visit(place + 1);
    remove(kept, all, leaf);
    visit(place + 1);
  };
  visit(0);
  return {
    leaves: best.leaves.toSorted((left, right) => left - right),
    score: best.score,
    bound: Math.max(best.score, bound),
  };
}

interface KeptNow {
  readonly nodes: Map<string, number>;
  readonly meanings: Map<number, number>;
  readonly leaves: number[];
}

function weightOf(all: readonly LeafToKeep[], leaf: number): number {
  return all[leaf]?.weight ?? 0;
}

function add({ nodes, meanings, leaves }: KeptNow, all: readonly LeafToKeep[], leaf: number): void {
  const { line = [], meaning = 0 } = all[leaf] ?? {};
  for (const node of line) nodes.set(node, (nodes.get(node) ?? 0) + 1);
  meanings.set(meaning, (meanings.get(meaning) ?? 0) + 1);
  leaves.push(leaf);
}

function remove({ nodes, meanings, leaves }: KeptNow, all: readonly LeafToKeep[], leaf: number): void {
  const { line = [], meaning = 0 } = all[leaf] ?? {};
  for (const node of line) less(nodes, node);
  less(meanings, meaning);
  leaves.pop();
}

function less<Key>(counts: Map<Key, number>, key: Key): void {
  const count = (counts.get(key) ?? 0) - 1;
  if (count <= 0) counts.delete(key);
  else counts.set(key, count);
}
