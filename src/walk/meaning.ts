/** Which continuations mean the same, and how much they disagree. */

export interface Meant {
  readonly action: string;
  /** The state that the action led to. */
  readonly stateKey: string;
}

/** The cluster of each, numbered in order of appearance: the same action in other letters, or another way to the same state. */
export function meaningClusters(all: readonly Meant[]): number[] {
  const firsts: Meant[] = [];
  return all.map((one) => {
    const known = firsts.findIndex(
      (first) => plainAction(first.action) === plainAction(one.action) || first.stateKey === one.stateKey,
    );
    return known < 0 ? firsts.push(one) - 1 : known;
  });
}

/** Entropy of the shares of the clusters, in nats. */
export function semanticEntropy(clusters: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const cluster of clusters) counts.set(cluster, (counts.get(cluster) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / clusters.length) * Math.log(count / clusters.length);
  return entropy;
}

/** The same but for case and space. */
export function plainAction(action: string): string {
  return action.toLowerCase().replaceAll(/\s+/g, " ").trim();
}
