/** Beam search over steps: the best few lines go on together, each into several continuations. */
import { option } from "limbeck-base/base/option";
import { bestOf, isSolved, worthOf } from "./worth.ts";
import { growEach, growOptions } from "./grow.ts";
import { lineTo, type SearchNode } from "../walk/tree/node.ts";
import { defineSearch } from "./search.ts";

type Aggregate = "last" | "mean" | "least" | "product";

export const beam = defineSearch({
  info: {
    title: "Beam search",
    paper: "beam search with step scores, as in process-reward guided decoding",
    confidence: "practice",
    formula: [
      "round: every line of the beam grows `width` continuations; the `beam` best by score go on",
      "score(line) = V(end), or the mean, least or product of V over its nodes",
      "lines that ended keep their place; chosen = the best line when none is left to go on",
    ],
    meaning: "Keeps the best few partial episodes by a score after every step and grows only those.",
    departures: [
      "Without a value, or where it has no answer, the signs of a line stand for it (`line-signs.ts`).",
      "Lines that come to one state are one: the first of the better stays.",
    ],
  },
  options: {
    beam: option.count(4, "lines that go on"),
    ...growOptions,
    score: option.choice("last", ["last", "mean", "least", "product"], "how the values along a line make its score"),
    merge: option.flag(true, "of lines in one state at one depth only the best goes on"),
    stop: option.flag(true, "stop once a line has ended with value 1"),
  },
  create: ({ beam: most, score, merge, stop, ...growing }) => ({
    run: async (scope) => {
      let lines: SearchNode[] = [scope.root];
      while (lines.some(({ closed }) => !closed)) {
        const open = lines.filter(({ closed }) => !closed);
        const grown = (await growEach(scope, open, growing)).flat();
        if (grown.length === 0) break;
        await scope.evaluate(grown);
        const pool = [...lines.filter(({ ending }) => ending !== undefined), ...grown];
        lines = keep(pool, { most, score, merge });
        if (stop && lines.some(isSolved)) break;
      }
      const ended = lines.filter(({ ending }) => ending !== undefined);
      const reached = lines.filter((node) => node !== scope.root);
      return bestOf(ended.length > 0 ? ended : reached);
    },
  }),
});

/** The best by score, one for each state where they are merged; of equals the first. */
function keep(
  pool: readonly SearchNode[],
  { most, score, merge }: { readonly most: number; readonly score: Aggregate; readonly merge: boolean },
): SearchNode[] {
  const ranked = pool
    .map((node) => ({ node, score: scoreLine(node, score) }))
    .toSorted((left, right) => right.score - left.score);
  const seen = new Set<string>();
  const kept: SearchNode[] = [];
  for (const { node } of ranked) {
    if (kept.length === most) break;
    const key = `${node.depth} ${node.stateKey}`;
    if (merge && node.ending === undefined && seen.has(key)) continue;
    seen.add(key);
    kept.push(node);
  }
  return kept;
}

/** The score of a line by the values of its nodes, the root left out. */
export function scoreLine(node: SearchNode, aggregate: Aggregate): number {
  if (aggregate === "last") return worthOf(node);
  const worths = lineTo(node).slice(1).map(worthOf);
  if (aggregate === "least") return Math.min(...worths);
  if (aggregate === "product") return worths.reduce((product, value) => product * value, 1);
  return worths.reduce((sum, value) => sum + value, 0) / worths.length;
}
