/**
 * Which leaves of a tree to keep: worth much, sharing their beginnings, covering every meaning. A 0/1 linear programme:
 *
 *   maximise   sum_i w_i x_i  -  shared * |nodes on lines to kept leaves| / |nodes|  +  diverse * |meanings kept| / |meanings|
 *
 * w: shares of worth that sum to 1. Solved exactly by branch and bound; trees of this kind are small. When `mostTries`
 * is not enough, the best so far is given with the bound that is left, so that nobody takes it for the optimum.
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
  /** What the leaves from a place on could add at most: their weight, and meanings nobody has covered. */
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
