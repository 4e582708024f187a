/** Which actions and which states mean the same: by their text, and by meaning where the caller gives embeddings. */

/** One vector a text, of any length that is always the same. */
export type Embed = (texts: readonly string[]) => Promise<readonly ArrayLike<number>[]>;

export interface AlikeOptions {
  /** Text as it is compared. Default: case and space do not count. */
  readonly normalise?: (text: string) => string;
  readonly embed?: Embed;
  /** Cosine from which two embedded texts mean the same. Default: 0.95. */
  readonly threshold?: number;
}

export interface Alike {
  /** What is compared. */
  key(text: string): string;
  same(left: string, right: string): Promise<boolean>;
  /** The index of the first among them that means the same as each; its own when it is the first. */
  firsts(texts: readonly string[]): Promise<number[]>;
}

/**
 * Each text is embedded once.
 *
 * @example
 * console.log(await createAlike().firsts(["Open drawer 1", "look", "open  drawer 1"])); // [ 0, 1, 0 ]
 */
export function createAlike({ normalise = plainAction, embed, threshold = 0.95 }: AlikeOptions = {}): Alike {
  const vectors = new Map<string, Promise<ArrayLike<number>>>();
  const vectorOf = (key: string, ask: Embed): Promise<ArrayLike<number>> => {
    const known = vectors.get(key) ?? ask([key]).then(([vector]) => vector ?? []);
    vectors.set(key, known);
    return known;
  };
  const same = async (left: string, right: string): Promise<boolean> => {
    const [one, other] = [normalise(left), normalise(right)];
    if (one === other) return true;
    if (embed === undefined) return false;
    const [here, there] = await Promise.all([vectorOf(one, embed), vectorOf(other, embed)]);
    return cosine(here, there) >= threshold;
  };
  return {
    key: normalise,
    same,
    firsts: async (texts) => {
      if (embed === undefined) return firstsOf(texts.map(normalise));
      const firsts: number[] = [];
      for (const [at, text] of texts.entries()) {
        let first = at;
        for (let before = 0; before < at && first === at; before += 1) {
          if (firsts[before] === before && (await same(texts[before] as string, text))) first = before;
        }
        firsts.push(first);
      }
      return firsts;
    },
  };
}

function firstsOf(keys: readonly string[]): number[] {
  const known = new Map<string, number>();
  return keys.map((key, at) => {
    const first = known.get(key) ?? at;
    known.set(key, first);
    return first;
  });
}

export function cosine(left: ArrayLike<number>, right: ArrayLike<number>): number {
  let [product, one, other] = [0, 0, 0];
  for (let at = 0; at < left.length; at += 1) {
    const [here, there] = [left[at] as number, right[at] ?? 0];
    product += here * there;
    one += here * here;
    other += there * there;
  }
  return one === 0 || other === 0 ? 0 : product / Math.sqrt(one * other);
}

// Which continuations mean the same, and how much they disagree.

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
