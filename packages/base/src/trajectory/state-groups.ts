/**
 * Which steps stand in the same state: by equal keys, by normalised text, by similar text, or by shared words.
 *
 * Every function gives the group of each item, numbered in order of first appearance, and keeps memory linear.
 * Only items of the same `within` (a task, say) can share a group: equal observations of different tasks are different
 * states.
 */
import { EngineError } from "../base/errors.ts";
import { groupedBy } from "../base/grouped-by.ts";
import { unknownName } from "../base/registry.ts";
import { type SimilarTextsOptions, clusterSimilarTexts } from "../base/text-similarity/similar-texts.ts";
import { clusterSimilarWords } from "../base/text-similarity/similar-words.ts";

/** How states are compared. */
export type StateMatch = "exact" | "normalised" | "similar" | "words";

export interface StateGroupOptions extends SimilarTextsOptions {
  /** Default: "exact". `threshold` speaks of "similar" and "words" only, `autojunk` of "similar". */
  readonly match?: StateMatch;
  /** One key per item; items of different keys never share a group. */
  readonly within?: readonly string[];
}

export interface StateGroups {
  /** The group of each item. */
  readonly of: Int32Array;
  readonly count: number;
}

type Grouping = (states: readonly string[], options: SimilarTextsOptions) => Int32Array;

const GROUPINGS: Readonly<Record<StateMatch, Grouping>> = {
  exact: equalKeys,
  normalised: (states) => equalKeys(states.map(normaliseState)),
  // First-fit by matching blocks, as GiGPO publishes it.
  similar: clusterSimilarTexts,
  // First-fit by shared words, as CoSearch publishes it.
  words: clusterSimilarWords,
};

/**
 * The group of each state; equal numbers are equal states.
 *
 * @example
 * console.log(groupStates(["Kitchen", "hall", "kitchen "], { match: "normalised" }).of); // Int32Array(3) [ 0, 1, 0 ]
 */
export function groupStates(states: readonly string[], options: StateGroupOptions = {}): StateGroups {
  const { match = "exact", within } = options;
  if (!Object.hasOwn(GROUPINGS, match)) throw unknownName(match, Object.keys(GROUPINGS), "state match");
  return scoped(states.length, within, (members) =>
    GROUPINGS[match](
      members.map((member) => states[member] as string),
      options,
    ),
  );
}

/**
 * Text without what rarely matters for the state: compatibility forms of characters made one (NFKC), lower case, every
 * run of white space and control characters one space, none at the ends.
 */
export function normaliseState(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

function equalKeys(keys: readonly string[]): Int32Array {
  const numbers = new Map<string, number>();
  return Int32Array.from(keys, (key) => {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    return numbers.size - 1;
  });
}

/** Groups the items of each scope apart, then numbers all groups in order of first appearance. */
function scoped(
  count: number,
  within: readonly string[] | undefined,
  group: (members: readonly number[]) => Int32Array,
): StateGroups {
  if (within !== undefined && within.length !== count) {
    throw new EngineError(
      "bad-input",
      `There are ${count} states and ${within.length} entries in "within"; give one each.`,
    );
  }
  const scopes = groupedBy(Array.from({ length: count }).keys(), (item) => within?.[item] ?? "");
  const local = new Int32Array(count);
  const offsets = new Int32Array(count);
  let total = 0;
  for (const members of scopes.values()) {
    const groups = group(members);
    let most = -1;
    members.forEach((member, at) => {
      const one = groups[at] as number;
      most = Math.max(most, one);
      local[member] = one;
      offsets[member] = total;
    });
    total += most + 1;
  }
  const numbers = new Int32Array(total).fill(-1);
  let next = 0;
  const of = local.map((one, item) => {
    const unique = one + (offsets[item] as number);
    if (numbers[unique] === -1) numbers[unique] = next++;
    return numbers[unique] as number;
  });
  return { of, count: total };
}
