/**
 * Which steps stand in the same state: by equal keys, by normalised text, by similar text, or by equal token prefix.
 *
 * Every function gives the group of each item, numbered in order of first appearance, and keeps memory linear.
 * Only items of the same `within` (a task, say) can share a group: equal observations of different tasks are different
 * states.
 */
import { clusterSimilarTexts, EngineError, unknownName, type SimilarTextsOptions } from "../base/index.ts";
import { commonPrefix } from "./prefix.ts";

/** How states are compared. */
export type StateMatch = "exact" | "normalised" | "similar";

export interface StateGroupOptions extends SimilarTextsOptions {
  /** Default: "exact". `threshold` and `autojunk` speak of "similar" only. */
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
};

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

/** The tokens before a step; several steps of a trajectory may share one array. */
export interface TokenPrefix {
  readonly ids: ArrayLike<number>;
  /** How many leading tokens make the state. Default: all. */
  readonly length?: number;
}

/** Items whose prefixes are equal token by token. */
export function groupTokenPrefixes(
  prefixes: readonly TokenPrefix[],
  options: Pick<StateGroupOptions, "within"> = {},
): StateGroups {
  prefixes.forEach(({ ids, length = ids.length }, at) => {
    if (Number.isInteger(length) && length >= 0 && length <= ids.length) return;
    throw new EngineError(
      "bad-input",
      `Prefix ${at} has length ${length}; it must be a whole number up to ${ids.length}.`,
    );
  });
  const hashes = prefixHashes(prefixes);
  return scoped(prefixes.length, options.within, (members) => {
    const groups = new Int32Array(members.length);
    const firsts: number[] = [];
    // Equal hashes are compared token by token, so that a collision cannot join two states.
    const byHash = new Map<number, number[]>();
    members.forEach((member, at) => {
      const known = byHash.get(hashes[member] as number) ?? [];
      let group = known.find((one) => samePrefix(prefixes[firsts[one] as number], prefixes[member]));
      if (group === undefined) {
        group = firsts.push(member) - 1;
        byHash.set(hashes[member] as number, [...known, group]);
      }
      groups[at] = group;
    });
    return groups;
  });
}

/** One hash per prefix; an array that several prefixes share is read once. */
function prefixHashes(prefixes: readonly TokenPrefix[]): Int32Array {
  const hashes = new Int32Array(prefixes.length);
  const sharing = new Map<ArrayLike<number>, number[]>();
  prefixes.forEach(({ ids }, at) => {
    const members = sharing.get(ids);
    if (members === undefined) sharing.set(ids, [at]);
    else members.push(at);
  });
  const lengthOf = (at: number): number => (prefixes[at]?.length ?? prefixes[at]?.ids.length) as number;
  for (const [ids, members] of sharing) {
    members.sort((left, right) => lengthOf(left) - lengthOf(right));
    let [hash, read] = [0, 0];
    for (const member of members) {
      for (; read < lengthOf(member); read += 1)
        hash = Math.imul(hash ^ (ids[read] as number), 0x9e3779b1) ^ (hash >>> 15);
      hashes[member] = hash ^ Math.imul(read, 0x85ebca6b);
    }
  }
  return hashes;
}

function samePrefix(left: TokenPrefix | undefined, right: TokenPrefix | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  const length = left.length ?? left.ids.length;
  if (length !== (right.length ?? right.ids.length)) return false;
  return left.ids === right.ids || commonPrefix(left.ids, right.ids) >= length;
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
  const scopes = new Map<string, number[]>();
  for (let item = 0; item < count; item += 1) {
    const scope = within?.[item] ?? "";
    const members = scopes.get(scope);
    if (members === undefined) scopes.set(scope, [item]);
    else members.push(item);
  }
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
