/** Lists of numbers without a small array for each: what a game holds for every action it knows. */
import { holds } from "./facts.ts";

/** All lists in one array, and where each begins; the last start is the end. */
export function pack(lists: readonly (readonly number[])[]): [Int32Array, Int32Array] {
  const starts = new Int32Array(lists.length + 1);
  for (let index = 0; index < lists.length; index += 1) {
    starts[index + 1] = (starts[index] as number) + (lists[index] as readonly number[]).length;
  }
  const all = new Int32Array(starts[lists.length] as number);
  for (let index = 0; index < lists.length; index += 1) all.set(lists[index] as readonly number[], starts[index]);
  return [all, starts];
}

/** Whether the facts asked for from `start` to `end` (+ number + 1 must, - number - 1 must not hold) are as asked. */
export function isMet(demands: Int32Array, start: number, end: number, bits: Uint32Array): boolean {
  for (let index = start; index < end; index += 1) {
    const demand = demands[index] as number;
    if (demand > 0 ? !holds(bits, demand - 1) : holds(bits, -demand - 1)) return false;
  }
  return true;
}

/** The owners of the packed demands that ask for a fact. */
export type Watching = (fact: number) => Int32Array;

const NOBODY = new Int32Array(0);

export function watch(demands: Int32Array, starts: Int32Array): Watching {
  const owners = new Int32Array(demands.length);
  for (let owner = 0; owner + 1 < starts.length; owner += 1) {
    owners.fill(owner, starts[owner], starts[owner + 1]);
  }
  const factAt = (place: number): number => Math.abs(demands[place] as number) - 1;
  const order = Int32Array.from(demands.keys()).sort((left, right) => factAt(left) - factAt(right) || left - right);
  const facts = order.map(factAt);
  const sorted = order.map((place) => owners[place] as number);
  return (fact) => {
    const from = lowest(facts, fact);
    if (facts[from] !== fact) return NOBODY;
    return sorted.subarray(from, lowest(facts, fact + 1));
  };
}

function lowest(sorted: Int32Array, wanted: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
