/** Predicted tool calls against reference calls: how similar two calls are, and who is matched with whom. */
import { optimalAssignment } from "./assignment.ts";
import type { CalledTool } from "./signals.ts";

/**
 * 0 for different names or arguments that could not be parsed; else (1 + shared parameter names + equal values) /
 * (2 + parameters of the reference).
 */
export function callSimilarity(predicted: CalledTool, gold: CalledTool): number {
  if (predicted.name.toLowerCase() !== gold.name.toLowerCase()) return 0;
  if (predicted.arguments === null || gold.arguments === null) return 0;
  const [own, wanted] = [Object.keys(predicted.arguments), Object.keys(gold.arguments)];
  const equal = wanted.filter((name) => isEqual(predicted.arguments?.[name], gold.arguments?.[name])).length;
  return (1 + jaccard(own, wanted) + equal) / (2 + wanted.length);
}

/** Names of an object are a set, so the multiset form is the plain one; two empty lists are equal. */
function jaccard(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 && right.length === 0) return 1;
  const shared = left.filter((name) => right.includes(name)).length;
  return shared / (left.length + right.length - shared);
}

function isEqual(left: unknown, right: unknown): boolean {
  return left !== undefined && JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
}

/** Objects with their keys in order, so that the order they were written in does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]));
}

/** Reward of each predicted call; `unmatched` for those without a reference call. */
export function matchRewards(
  predicted: readonly CalledTool[],
  gold: readonly CalledTool[],
  options: { readonly matching: string; readonly unmatched: number; readonly regularisation: number },
): number[] {
  const similarity = predicted.map((call) => gold.map((other) => callSimilarity(call, other)));
  if (options.matching === "transport") return transported(similarity, options.regularisation);
  const partner = options.matching === "optimal" ? optimalAssignment(similarity) : greedyAssignment(similarity);
  return partner.map((column, row) => {
    const value = column === -1 ? 0 : (similarity[row]?.[column] ?? 0);
    return value > 0 ? value : options.unmatched;
  });
}

/** Most similar pair first, each call once; equal pairs in their order. */
function greedyAssignment(similarity: readonly (readonly number[])[]): number[] {
  const pairs = similarity.flatMap((row, at) => row.map((value, column) => ({ value, at, column })));
  const partner = similarity.map(() => -1);
  const taken = new Set<number>();
  for (const { value, at, column } of pairs.toSorted((left, right) => right.value - left.value)) {
    if (value <= 0 || partner[at] !== -1 || taken.has(column)) continue;
    partner[at] = column;
    taken.add(column);
  }
  return partner;
}

const ROUNDS = 200;

/** Sinkhorn's scaling with cost -similarity and equal masses; a call earns what its mass meets. */
function transported(similarity: readonly (readonly number[])[], regularisation: number): number[] {
  const columns = similarity[0]?.length ?? 0;
  if (columns === 0) return similarity.map(() => 0);
  const kernel = similarity.map((row) => row.map((value) => Math.exp((value - 1) / regularisation)));
  let rows = similarity.map(() => 1);
  let others = Array.from({ length: columns }, () => 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    rows = kernel.map(
      (line) => 1 / similarity.length / line.reduce((sum, value, at) => sum + value * (others[at] as number), 0),
    );
    others = others.map(
      (_, at) => 1 / columns / kernel.reduce((sum, line, row) => sum + (line[at] as number) * (rows[row] as number), 0),
    );
  }
  return kernel.map((line, row) =>
    line.reduce(
      (sum, value, at) => sum + (rows[row] as number) * value * (others[at] as number) * (similarity[row]?.[at] ?? 0),
      0,
    ),
  );
}
