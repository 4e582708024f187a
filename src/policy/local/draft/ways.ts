/**
 * Trees of guesses that grow word by word, as whoever guesses predicts them. They are drawn with the random numbers that the
 * response is going to draw with: where both see the next token alike, both draw the same.
 */
import { restoreRng } from "../../../base/rng.ts";
import type { Prediction } from "../draw.ts";
import type { Speaker, Turn } from "../speaker.ts";
import type { TrieNode } from "../trie.ts";
import { FAINT } from "./drafter.ts";
import { createTrackRecord } from "./track-record.ts";
import { emptyTree, grow, wayTo, type DraftTree, type Growing, type Node } from "./tree.ts";

/** Whoever guesses by predictions of its own: a smaller model, or heads. */
export interface Guesser {
  /** A tree for each, of at most so many nodes. */
  draft(speakers: readonly Speaker[], most: (speaker: Speaker) => number, expand: Expand): Promise<DraftTree[]>;
  judge(source: number, right: boolean): void;
}

/** A way through a tree, at its end. */
export interface Sprout {
  readonly depth: number;
  /** Whether the tree has branched before. */
  readonly branched: boolean;
}

/** Which of the nodes a way goes on by: the one that both draw if they agree, then the likeliest others. */
export type Expand = (sprout: Sprout, nodes: readonly Node[]) => readonly Node[];

export interface Way extends Sprout {
  readonly speaker: Speaker;
  readonly tree: Growing;
  readonly turn: Turn;
  readonly uniforms: readonly number[];
  readonly most: number;
  readonly node: number;
  readonly place: TrieNode | undefined;
}

/** Sources of these guesses begin here; those of a memory of words lie below. */
export const GUESSER_SOURCES = 1_000;
/** Guesses are told apart by how likely they are found, in tenths: those drawn, and the others. */
const TENTHS = 10;
/** Candidates beside the one that is drawn. */
export const OTHERS = 3;

/** The beginning of a tree for everyone who speaks and has room. */
export function beginWays(
  speakers: readonly Speaker[],
  most: (speaker: Speaker) => number,
  contextLength: number,
): Way[] {
  return speakers.flatMap((speaker): Way[] => {
    const { turn, rng, count } = speaker;
    const room = most(speaker);
    if (turn === undefined || room < 1 || count + room >= contextLength) return [];
    const ahead = restoreRng(rng.save());
    const uniforms = Array.from({ length: room }, () => ahead.float());
    const place = turn.response.place();
    return [{ depth: 0, branched: false, node: -1, place, most: room, turn, uniforms, speaker, tree: emptyTree() }];
  });
}

/** Whether there is room for more, in the tree, in the answer and in what is allowed. */
export function goesOn({ tree, node, most, depth, turn, place }: Way): boolean {
  if (tree.tokens.length >= most || depth >= turn.response.left() - 1) return false;
  if (place?.ids.length === 0 || (node >= 0 && (tree.reach[node] as number) < FAINT)) return false;
  const way = wayTo(tree, node);
  return node < 0 || !turn.response.ends(way.slice(0, -1), way.at(-1) as number);
}

/** The way, longer by a node; `branched` where it is not the only one. */
export function longer<Kind extends Way>(way: Kind, next: Node, branched: boolean): Kind {
  const node = grow(way.tree, way.node, next);
  const place = way.place?.next.get(next.token);
  return { ...way, depth: way.depth + 1, branched: way.branched || branched, node, place };
}

/** Reads nodes from predictions, and remembers how often such were right. */
export interface Reader {
  nodesOf(way: Way, prediction: Prediction): Node[];
  judge(source: number, right: boolean): void;
}

export function createReader(): Reader {
  const middles = Array.from({ length: TENTHS }, (_, tenth) => (tenth + 0.5) / TENTHS);
  const record = createTrackRecord([...middles, ...middles]);
  const node = (token: number, likely: number, shift: number): Node => {
    const kind = shift + Math.min(TENTHS - 1, Math.floor(likely * TENTHS));
    return { token, trust: record.trust(kind), source: GUESSER_SOURCES + kind };
  };
  return {
    nodesOf: ({ turn, uniforms, depth, place }, prediction) => {
      const { logprobs } = prediction;
      const drawn = turn.response.guess(prediction, uniforms[depth] as number, place);
      const others = likeliest(logprobs, place?.ids, OTHERS + 1).filter((id) => id !== drawn.id);
      return [
        node(drawn.id, Math.exp(logprobs[drawn.id] as number), 0),
        ...others.slice(0, OTHERS).map((id) => node(id, Math.exp(logprobs[id] as number), TENTHS)),
      ];
    },
    judge: (source, right) => record.judge(source - GUESSER_SOURCES, right),
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
