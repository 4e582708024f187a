/** Looking a thing up by name, with an answer that helps when the name is wrong. */
import { EngineError } from "./errors.ts";
import { loadedPart, namesFile } from "./parts/part.ts";

/**
 * The entry of that name, or an error that lists the known names and the nearest one.
 *
 * @example
 * console.log(lookUp({ tiny: 2, small: 4 }, "small", "size")); // 4
 */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string, kind: string): T {
  if (Object.hasOwn(table, name)) return table[name] as T;
  if (namesFile(name)) return loadedPart(name, kind) as T;
  throw unknownName(name, Object.keys(table), kind);
}

/**
 * Two tables as one, by name.
 *
 * @example
 * console.log(Object.keys(bothTiers({ grpo: 1 }, { hgpo: 2 }))); // [ "grpo", "hgpo" ]
 */
export function bothTiers<Stable extends object, Experimental extends object>(
  stable: Stable,
  experimental: Experimental,
): Stable & Experimental {
  const all = Object.entries({ ...stable, ...experimental });
  return Object.fromEntries(all.sort(([left], [right]) => (left < right ? -1 : 1))) as Stable & Experimental;
}

/**
 * The error for a name that is not among the known ones. `kind` is a noun: "command", "credit method".
 *
 * @example
 * console.log(unknownName("smal", ["tiny", "small"], "size").message); // No size "smal". Did you mean "small"? Known: small, tiny.
 */
export function unknownName(name: string, known: readonly string[], kind: string): EngineError {
  const near = nearest(name, known);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  const list = known.length === 0 ? "none" : [...known].sort().join(", ");
  return new EngineError("unknown-name", `No ${kind} "${name}".${hint} Known: ${list}.`, {
    details: { kind, name, known, ...(near === undefined ? {} : { suggestion: near }) },
  });
}

/** The closest known name by edit distance, when it is close enough to be a likely slip of the hand. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best ?? known.find((candidate) => wanted.length >= 3 && candidate.toLowerCase().startsWith(wanted));
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment), in three rows of memory. */
function editDistance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > 8) return Number.POSITIVE_INFINITY;
  let older: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(
        (previous[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (previous[column - 1] as number) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) cost = Math.min(cost, (older[column - 2] as number) + 1);
      current.push(cost);
    }
    [older, previous] = [previous, current];
  }
  return previous[right.length] as number;
}
