/**
 * Trees of guesses that grow token by token, as a drafter with predictions of its own grows them: a smaller model, or heads. They are
 * drawn with the random numbers that the response is going to draw with: where both see the next token alike, both draw the same.
 */
import { restoreRng } from "../../../base/rng.ts";
import type { Prediction } from "../draw.ts";
import type { SampleRequest, Sequence } from "../sequence.ts";
import type { TrieNode } from "../trie.ts";
import { FAINT } from "./memory-trees.ts";
import { emptyTree, grow, NO_DRAFT, wayTo, type DraftTree, type Growing, type Node } from "./tree.ts";
import { createTrackRecord } from "./word-memory.ts";

export interface Guesser {
  /** A tree for each, of at most so many nodes. */
  draft(sequences: readonly Sequence[], most: (sequence: Sequence) => number, expand: Expand): Promise<DraftTree[]>;
  judge(source: number, right: boolean): void;
}

/** A way through a tree, at its end. */
interface Sprout {
  readonly depth: number;
  /** Whether the tree has branched before. */
  readonly branched: boolean;
}

/** Which of the nodes a way goes on by: the one that both draw if they agree, then the likeliest others. */
export type Expand = (sprout: Sprout, nodes: readonly Node[]) => readonly Node[];

export interface Way extends Sprout {
  readonly sequence: Sequence;
  readonly tree: Growing;
  readonly request: SampleRequest;
  readonly uniforms: readonly number[];
  readonly most: number;
  readonly node: number;
  readonly place: TrieNode | undefined;
}

/** Sources of these guesses begin here; those of a memory of n-grams lie below. */
export const GUESSER_SOURCES = 1_000;
/** Guesses are told apart by how likely they are found, in tenths: those drawn, and the others. */
const TENTHS = 10;
/** Candidates beside the one that is drawn. */
export const OTHERS = 3;

/** The beginning of a tree for every sequence that is sampled and has room to go on. */
export function beginWays(
  sequences: readonly Sequence[],
  most: (sequence: Sequence) => number,
  contextLength: number,
): Way[] {
  const begun = sequences.flatMap((sequence): Way[] => {
    const { request, rng, count } = sequence;
    const room = most(sequence);
    if (request === undefined || room < 1 || count + room >= contextLength) return [];
    const ahead = restoreRng(rng.save());
    const uniforms = Array.from({ length: room }, () => ahead.float());
    const place = request.response.place();
    return [{ depth: 0, branched: false, node: -1, place, most: room, request, uniforms, sequence, tree: emptyTree() }];
  });
  return begun.filter(goesOn);
}

/** Lets ways go on until none does. A tree for each sequence. */
export async function growTrees<Kind extends Way>(
  sequences: readonly Sequence[],
  begun: readonly Kind[],
  step: (ways: readonly Kind[]) => Promise<Kind[]>,
): Promise<DraftTree[]> {
  const trees = new Map(begun.map(({ sequence, tree }) => [sequence, tree]));
  for (let ways = begun; ways.length > 0;) ways = await step(ways);
  return sequences.map((sequence) => trees.get(sequence) ?? NO_DRAFT);
}

/** Whether there is room for more, in the tree, in the response and in what is allowed. */
export function goesOn({ tree, node, most, depth, request: { response }, place }: Way): boolean {
  if (tree.tokens.length >= most || depth >= response.left() - 1) return false;
  if (place?.ids.length === 0 || (node >= 0 && (tree.reach[node] as number) < FAINT)) return false;
  const way = wayTo(tree, node);
  return node < 0 || !response.ends(way.slice(0, -1), way.at(-1) as number);
}

/** The way, longer by a node; `branched` where it is not the only one. */
export function longer<Kind extends Way>(way: Kind, next: Node, branched: boolean): Kind {
  const node = grow(way.tree, way.node, next);
  const place = way.place?.next.get(next.token);
  return { ...way, depth: way.depth + 1, branched: way.branched || branched, node, place };
}

/** Reads the nodes that a way goes on by from predictions, and remembers how often such were right. */
export function createReader() {
  const middles = Array.from({ length: TENTHS }, (_, tenth) => (tenth + 0.5) / TENTHS);
  const record = createTrackRecord([...middles, ...middles]);
  const nodeOf = (token: number, likely: number, shift: number): Node => {
    const kind = shift + Math.min(TENTHS - 1, Math.floor(likely * TENTHS));
    return { token, trust: record.trust(kind), source: GUESSER_SOURCES + kind };
  };
  return {
    nodesOf: (way: Way, prediction: Prediction, expand: Expand): readonly Node[] => {
      const { request, uniforms, depth, place } = way;
      const { logprobs } = prediction;
      const drawn = request.response.guess(prediction, uniforms[depth] as number, place);
      const others = likeliest(logprobs, place?.ids, OTHERS + 1).filter((id) => id !== drawn.id);
      const nodes = [
        nodeOf(drawn.id, Math.exp(logprobs[drawn.id] as number), 0),
        ...others.slice(0, OTHERS).map((id) => nodeOf(id, Math.exp(logprobs[id] as number), TENTHS)),
      ];
      return expand(way, nodes).slice(0, way.most - way.tree.tokens.length);
    },
    judge: (source: number, right: boolean): void => record.judge(source - GUESSER_SOURCES, right),
  };
}

/** The likeliest of the allowed tokens, the likeliest first. */
function likeliest(logprobs: Float32Array, allowed: ArrayLike<number> | undefined, count: number): number[] {
  const best: number[] = [];
  const size = allowed?.length ?? logprobs.length;
  for (let index = 0; index < size; index += 1) {
    const id = allowed?.[index] ?? index;
    const value = logprobs[id] as number;
    if (best.length === count && !(value > (logprobs[best.at(-1) as number] as number))) continue;
    const at = best.findIndex((other) => value > (logprobs[other] as number));
    if (at >= 0) best.splice(at, 0, id);
    else best.push(id);
    if (best.length > count) best.pop();
  }
  return best;
}
