/**
 * Guesses by a smaller model with the same words. It draws with the random numbers that the response is going to draw with: where
 * both models see the next token alike, both draw the same. What is said stays what it would be without it.
 */
import { restoreRng } from "../../../base/index.ts";
import type { Program } from "../../../graph/index.ts";
import { createArenaPool } from "../arena-pool.ts";
import type { DecodeShape } from "../decode-graph.ts";
import type { Prediction } from "../draw.ts";
import { copyStore, createStore } from "../key-value.ts";
import { createLane, type Lane, type LaneRow } from "../lane.ts";
import type { ModelConfig } from "../model-config.ts";
import { rotaryValues } from "../rotary.ts";
import type { Speaker, Turn } from "../speaker.ts";
import type { TrieNode } from "../trie.ts";
import { FAINT } from "./drafter.ts";
import { createTrackRecord } from "./track-record.ts";
import { emptyTree, grow, NO_DRAFT, type DraftTree, type Growing, type Node } from "./tree.ts";

export interface DraftModel {
  readonly config: ModelConfig;
  readonly weights: Readonly<Record<string, Float32Array>>;
  readonly program: (shape: DecodeShape) => Promise<Program>;
}

/** A way through a tree, at its end. */
export interface Sprout {
  readonly depth: number;
  /** Whether the tree has branched before. */
  readonly branched: boolean;
}

/** Which of the nodes a way goes on by: the one that both models draw if they agree, then the likeliest others. */
export type Expand = (sprout: Sprout, nodes: readonly Node[]) => readonly Node[];

export interface ModelDrafter {
  /** A tree for each, of at most so many nodes. */
  draft(speakers: readonly Speaker[], most: (speaker: Speaker) => number, expand: Expand): Promise<DraftTree[]>;
  judge(source: number, right: boolean): void;
}

/** Sources of these guesses begin here; those of a memory of words lie below. */
export const MODEL_SOURCES = 1_000;
/** Guesses are told apart by how likely the draft model finds them, in tenths: those drawn, and the others. */
const TENTHS = 10;
/** Candidates beside the one that is drawn. */
const OTHERS = 3;
/** Tokens read at a time, and how many are left to the next lane. */
const WIDTHS = [32, 8] as const;
const LEAST = [8, 0] as const;

interface Shadow extends LaneRow {
  temperature: number;
}

interface Way extends Sprout {
  readonly speaker: Speaker;
  readonly shadow: Shadow;
  readonly tree: Growing;
  readonly turn: Turn;
  readonly uniforms: readonly number[];
  readonly most: number;
  readonly node: number;
  readonly place: TrieNode | undefined;
}

export function createModelDrafter({ config, weights, program }: DraftModel, maxRows: number): ModelDrafter {
  const known = new Map<number, Readonly<Record<string, Float32Array>>>();
  const tables = (positions: number): Readonly<Record<string, Float32Array>> => {
    const made = known.get(positions) ?? rotaryValues(config, positions);
    known.set(positions, made);
    return made;
  };
  const shared = { config, weights, program, tables, maxRows: (OTHERS + 1) * maxRows, minRows: 2 };
  const pool = createArenaPool(config);
  const laneOf = (width: number): Lane<Shadow> => createLane<Shadow>({ ...shared, width, pool });
  const [reading, speaking] = [WIDTHS.map(laneOf), laneOf(1)];
  const shadows = new WeakMap<Speaker, Shadow>();
  const middles = Array.from({ length: TENTHS }, (_, tenth) => (tenth + 0.5) / TENTHS);
  const record = createTrackRecord([...middles, ...middles]);

  /** The same conversation as this model has read it; what was guessed and not said is forgotten. */
  const shadowOf = (speaker: Speaker): Shadow => {
    const { tokens, count, temperature } = speaker;
    const before = shadows.get(speaker);
    const shadow = before ?? {
      store: createStore(),
      tokens: new Int32Array(0),
      count,
      cached: 0,
      temperature,
      draft: NO_DRAFT,
    };
    let same = 0;
    while (same < Math.min(shadow.cached, count - 1) && shadow.tokens[same] === tokens[same]) same += 1;
    Object.assign(shadow.store, copyStore(shadow.store, same));
    const own = new Int32Array(tokens.length + WIDTHS[0]);
    own.set(tokens.subarray(0, count));
    Object.assign(shadow, { tokens: own, count, cached: same, temperature });
    shadows.set(speaker, shadow);
    return shadow;
  };

  /** Everything but the last token, whose prediction is wanted. */
  const read = async (all: readonly Shadow[]): Promise<void> => {
    for (const shadow of all) shadow.count -= 1;
    for (const [at, lane] of reading.entries()) {
      const pending = ({ count, cached }: Shadow): boolean => count - cached > (LEAST[at] as number);
      lane.join(all.filter(pending));
      while (lane.rows.length > 0) {
        await lane.step();
        lane.leave(lane.rows.filter((shadow) => !pending(shadow)));
      }
    }
    for (const shadow of all) shadow.count += 1;
  };

  const nodesOf = ({ turn, uniforms, depth, place }: Way, prediction: Prediction): Node[] => {
    const drawn = turn.response.guess(prediction, uniforms[depth] as number, place);
    const others = likeliest(prediction.logprobs, place?.ids, OTHERS + 1).filter((id) => id !== drawn.id);
    const node = (token: number, likely: number, shift: number): Node => {
      const kind = shift + Math.min(TENTHS - 1, Math.floor(likely * TENTHS));
      return { token, trust: record.trust(kind), source: MODEL_SOURCES + kind };
    };
    return [
      node(drawn.id, Math.exp(prediction.logprobs[drawn.id] as number), 0),
      ...others.slice(0, OTHERS).map((id) => node(id, Math.exp(prediction.logprobs[id] as number), TENTHS)),
    ];
  };

  /** One more token at the end of each way. Those that go on are given back, and where a way has branched, all its branches. */
  const step = async (ways: readonly Way[], expand: Expand): Promise<Way[]> => {
    const inside = new Set(speaking.rows);
    speaking.join(ways.map(({ shadow }) => shadow).filter((shadow) => !inside.has(shadow)));
    const predictions = await speaking.step();
    const rows = new Map(speaking.rows.map((shadow, at) => [shadow, at]));
    const chosen = ways.map((way) => {
      const nodes = expand(way, nodesOf(way, predictions(rows.get(way.shadow) as number)));
      return nodes.slice(0, way.most - way.tree.tokens.length);
    });
    speaking.leave(ways.filter((_, at) => chosen[at]?.length !== 1).map(({ shadow }) => shadow));
    const next = ways.flatMap((way, at) => grown(way, chosen[at] as readonly Node[])).filter(goesOn);
    const going = new Set(next.map(({ shadow }) => shadow));
    speaking.leave(speaking.rows.filter((shadow) => !going.has(shadow)));
    return next;
  };

  return {
    draft: async (speakers, most, expand) => {
      let ways = speakers.flatMap((speaker): Way[] => {
        const { turn, rng, count } = speaker;
        const room = most(speaker);
        if (turn === undefined || room < 1 || count + room >= config.contextLength) return [];
        const ahead = restoreRng(rng.save());
        const uniforms = Array.from({ length: room }, () => ahead.float());
        const place = turn.response.place();
        const start = { depth: 0, branched: false, node: -1, place, most: room, turn, uniforms };
        return [{ ...start, speaker, shadow: shadowOf(speaker), tree: emptyTree() }];
      });
      const trees = new Map(ways.map(({ speaker, tree }) => [speaker, tree]));
      ways = ways.filter(goesOn);
      try {
        await read(ways.map(({ shadow }) => shadow));
        while (ways.length > 0) ways = await step(ways, expand);
      } finally {
        for (const lane of [...reading, speaking]) lane.leave([...lane.rows]);
      }
      return speakers.map((speaker) => trees.get(speaker) ?? NO_DRAFT);
    },
    judge: (source, right) => record.judge(source - MODEL_SOURCES, right),
  };
}

/** The way, longer by each of the nodes. The first goes on as it is; the others begin with a copy of what it has read. */
function grown(way: Way, nodes: readonly Node[]): Way[] {
  const { shadow, tree, place } = way;
  const copies = nodes.map((_, at) =>
    at === 0
      ? shadow
      : { ...shadow, tokens: shadow.tokens.slice(), store: copyStore(shadow.store, shadow.store.length) },
  );
  return nodes.map((next, at) => {
    const own = copies[at] as Shadow;
    own.tokens[own.count] = next.token;
    own.count += 1;
    const branched = way.branched || nodes.length > 1;
    const node = grow(tree, way.node, next);
    return { ...way, shadow: own, depth: way.depth + 1, branched, node, place: place?.next.get(next.token) };
  });
}

/** Whether there is room for more, in the tree, in the answer and in what is allowed. */
function goesOn({ tree, node, most, depth, turn, place }: Way): boolean {
  if (tree.tokens.length >= most || depth >= turn.response.left() - 1) return false;
  return place?.ids.length !== 0 && (node < 0 || (tree.reach[node] as number) >= FAINT);
}

/** The likeliest of the allowed tokens, the likeliest first. */
function likeliest(logprobs: Float32Array, allowed: ArrayLike<number> | undefined, count: number): number[] {
  const best: number[] = [];
  const among = allowed ?? logprobs.keys();
  for (const id of typeof among === "object" && "length" in among ? Array.from(among) : among) {
    const at = best.findIndex((other) => (logprobs[id] as number) > (logprobs[other] as number));
    if (at >= 0) best.splice(at, 0, id);
    else best.push(id);
    if (best.length > count) best.pop();
  }
  return best;
}
