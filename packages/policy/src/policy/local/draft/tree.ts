/** Guesses of the next tokens as a tree: every way from its root is one way the response may go on. A chain is the plainest. */
import { HIDDEN, VISIBLE } from "../transformer.ts";

export interface DraftTree {
  readonly tokens: readonly number[];
  /** The node before each, -1 for the last token. Parents stand before their children. */
  readonly parents: readonly number[];
  /** How likely it is, as estimated, that the response comes by each node. */
  readonly reach: readonly number[];
  /** Where each came from; its drafter learns whether it was right. */
  readonly sources: readonly number[];
}

/** A tree that grows. */
export interface Growing extends DraftTree {
  readonly tokens: number[];
  readonly parents: number[];
  readonly reach: number[];
  readonly sources: number[];
}

/** One more node of a tree. */
export interface Node {
  readonly token: number;
  /** How likely it is where its parent was right. */
  readonly trust: number;
  /** Default: -1, none. */
  readonly source?: number;
}

/** A path that is less likely than this is not followed. */
export const FAINT = 0.05;

export const NO_DRAFT: DraftTree = { tokens: [], parents: [], reach: [], sources: [] };

export function emptyTree(): Growing {
  return { tokens: [], parents: [], reach: [], sources: [] };
}

/** The place of the new node. */
export function grow(tree: Growing, parent: number, { token, trust, source = -1 }: Node): number {
  tree.tokens.push(token);
  tree.parents.push(parent);
  tree.reach.push(trust * (parent < 0 ? 1 : (tree.reach[parent] as number)));
  tree.sources.push(source);
  return tree.tokens.length - 1;
}

/** The child of a node that is this token, or -1. */
export function childOf({ tokens, parents }: DraftTree, parent: number, token: number): number {
  for (let node = parent + 1; node < tokens.length; node += 1) {
    if (parents[node] === parent && tokens[node] === token) return node;
  }
  return -1;
}

/** Tokens from the root's first child down to a node, that one included. */
export function wayTo({ tokens, parents }: DraftTree, node: number): number[] {
  const way: number[] = [];
  for (let at = node; at >= 0; at = parents[at] as number) way.unshift(tokens[at] as number);
  return way;
}

/** The `most` likeliest nodes. A node is never likelier than its parent, so what is left is a tree. */
export function pruneTree(tree: DraftTree, most: number): DraftTree {
  if (tree.tokens.length <= most) return tree;
  const kept = tree.tokens
    .map((_, node) => node)
    .sort((left, right) => (tree.reach[right] as number) - (tree.reach[left] as number) || left - right)
    .slice(0, most)
    .sort((left, right) => left - right);
  const places = new Map(kept.map((node, place) => [node, place]));
  return {
    tokens: kept.map((node) => tree.tokens[node] as number),
    parents: kept.map((node) => places.get(tree.parents[node] as number) ?? -1),
    reach: kept.map((node) => tree.reach[node] as number),
    sources: kept.map((node) => tree.sources[node] as number),
  };
}

/** How far below the last token each node is: 1 for its children. */
export function depthsOf({ parents }: DraftTree): number[] {
  const depths: number[] = [];
  for (const parent of parents) depths.push(1 + (parent < 0 ? 0 : (depths[parent] as number)));
  return depths;
}

/**
 * Attention mask of a pass over the last token and the nodes after it, [width, width] from `start` on: each sees itself
 * and those on its way back to the root.
 */
export function writeSight({ parents }: DraftTree, into: Float32Array, start: number, width: number): void {
  into.fill(HIDDEN, start, start + width * width);
  for (let place = 0; place < width; place += 1) {
    const row = start + place * width;
    if (place === 0 || place > parents.length) into[row + place] = VISIBLE;
    else {
      // What the parent sees, and itself.
      const parent = start + ((parents[place - 1] as number) + 1) * width;
      into.copyWithin(row, parent, parent + width);
      into[row + place] = VISIBLE;
    }
  }
}
