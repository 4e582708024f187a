/** A trie of token sequences: which tokens may come next, so that a response is one of the given ones. */

export interface TrieNode {
  readonly next: ReadonlyMap<number, TrieNode>;
  /** Tokens that may come next, sorted. */
  readonly ids: Int32Array;
  /** A sequence ends here; it may still be the beginning of a longer one. */
  readonly ends: boolean;
}

interface Growing {
  readonly next: Map<number, Growing>;
  ends: boolean;
}

export function createTrie(sequences: readonly ArrayLike<number>[]): TrieNode {
  const root: Growing = { next: new Map(), ends: false };
  for (const sequence of sequences) {
    let node = root;
    for (let index = 0; index < sequence.length; index += 1) {
      const id = sequence[index] as number;
      const child = node.next.get(id) ?? { next: new Map(), ends: false };
      node.next.set(id, child);
      node = child;
    }
    node.ends = true;
  }
  return freeze(root);
}

function freeze(node: Growing): TrieNode {
  const next = new Map([...node.next].map(([id, child]) => [id, freeze(child)]));
  return { next, ids: Int32Array.from(next.keys()).sort(), ends: node.ends };
}
