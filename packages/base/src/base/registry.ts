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

/** More names than this do not help after a typing error. */
const SHOWN = 10;

/** Where all names of a kind are listed. */
const LISTS: Readonly<Record<string, string>> = {
  command: "limbeck --help",
  "credit method": "limbeck methods --room credit",
  environment: "limbeck envs",
  method: "limbeck methods",
  objective: "limbeck methods --room objective",
  recipe: "docs/lookup/generated/recipes.md",
  reward: "limbeck methods --room reward",
  search: "limbeck methods --room search",
  strategy: "limbeck methods --room rollout",
};

export function listOf(kind: string): string | undefined {
  if (kind.startsWith("option of the recipe ")) return "limbeck train --settings";
  return Object.hasOwn(LISTS, kind) ? LISTS[kind] : undefined;
}

/**
 * The error for a name that is not among the known ones. `kind` is a noun: "command", "credit method"; `list` says where they all are. At
 * most ten are named in the message, all in its details.
 *
 * @example
 * console.log(unknownName("smal", ["tiny", "small"], "size").message); // No size "smal". Did you mean "small"? Known: small, tiny.
 */
export function unknownName(
  name: string,
  known: readonly string[],
  kind: string,
  list: string | undefined = listOf(kind),
): EngineError {
  return unknownEntry(`No ${kind} "${name}"`, { kind, name, known }, list);
}

/** The same with words of one's own for what is wrong. */
export function unknownEntry(
  fault: string,
  given: { readonly kind: string; readonly name: string; readonly known: readonly string[] },
  list?: string,
): EngineError {
  const near = nearestName(given.name, given.known);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return new EngineError("unknown-name", `${fault}.${hint} Known: ${shownNames(given, near, list)}.`, {
    details: { ...given, ...(near === undefined ? {} : { suggestion: near }) },
  });
}

/** All by the alphabet, or the nearest first where they are many. */
function shownNames(
  { name, known }: { readonly name: string; readonly known: readonly string[] },
  near: string | undefined,
  list: string | undefined,
): string {
  const sorted = [...known].sort();
  if (sorted.length <= SHOWN) return sorted.length === 0 ? "none" : sorted.join(", ");
  const wanted = name.toLowerCase();
  const distance = (one: string): number => (one === near ? -1 : editDistance(wanted, one.toLowerCase()));
  const far = new Map(sorted.map((one) => [one, distance(one)]));
  const first = sorted
    .sort((left, right) => (far.get(left) as number) - (far.get(right) as number) || 0)
    .slice(0, SHOWN);
  return `${first.join(", ")}, and ${known.length - SHOWN} more${list === undefined ? "" : `: ${list}`}`;
}

/**
 * The known name that was likely meant: by what others call it, by a slip of the hand (edit distance), or by how it begins.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const common = commonName(name, known);
  if (common !== undefined) return common;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best ?? known.find((candidate) => wanted.length >= 3 && candidate.toLowerCase().startsWith(wanted));
}

/** What other programs of the field call a setting or an option; folded, as are the names it may have here, of which the first that is known is meant. */
const COMMON: Readonly<Record<string, readonly string[]>> = {
  batchsize: ["batch", "tasks"],
  beta: ["klweight"],
  bs: ["batch", "tasks"],
  clipgrad: ["clipnorm"],
  clipratio: ["cliplow"],
  count: ["tasks"],
  entcoef: ["entropyweight"],
  entropycoef: ["entropyweight"],
  entropycoeff: ["entropyweight"],
  epsclip: ["cliplow"],
  gradclip: ["clipnorm"],
  horizon: ["maxsteps"],
  iterations: ["steps"],
  kl: ["klweight"],
  klcoef: ["klweight"],
  klcoeff: ["klweight"],
  lr: ["learningrate"],
  lrscheduler: ["schedule"],
  lrschedulertype: ["schedule"],
  maxcompletionlength: ["maxtokens", "answertokens"],
  maxgradnorm: ["clipnorm"],
  maxnewtokens: ["maxtokens", "answertokens"],
  maxresponselength: ["maxtokens", "answertokens"],
  maxtokens: ["answertokens"],
  maxturns: ["maxsteps"],
  n: ["group", "samples"],
  numepochs: ["epochs"],
  numgenerations: ["group"],
  numminibatches: ["minibatches"],
  numtrainepochs: ["epochs"],
  ppoepochs: ["epochs"],
  tasks: ["count"],
  temp: ["temperature"],
  updates: ["steps"],
  warmupsteps: ["warmup"],
  wd: ["weightdecay"],
  world: ["env"],
};

/** The known name that such a word stands for, written with capitals, hyphens or underscores. */
function commonName(name: string, known: readonly string[]): string | undefined {
  const wanted = fold(name);
  const meant = Object.hasOwn(COMMON, wanted) ? (COMMON[wanted] ?? []) : [];
  return [wanted, ...meant].map((one) => known.find((candidate) => fold(candidate) === one)).find(Boolean);
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
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
