/**
 * Trees of guesses that grow token by token, as a drafter with predictions of its own grows them: a smaller model, or heads. They are
 * drawn with the random numbers that the response is going to draw with: where both see the next token alike, both draw the same.
 */
import { restoreRng } from "limbeck-base/base/rng";
import type { Prediction, TrieNode } from "../response.ts";
import type { SampleRequest, Sequence } from "../sequence.ts";
import { emptyTree, FAINT, grow, NO_DRAFT, wayTo, type DraftTree, type Growing, type Node } from "./tree.ts";
import { createTrackRecord } from "./word-memory.ts";
import type { Program } from "../../../graph/program.ts";
import { copyStore, createArenaPool, createStore, type KeyValueStore } from "../key-value.ts";
import type { DecodeShape } from "../decode-graph.ts";
import { Lane, type LaneRow } from "../lane.ts";
import { EMBEDDINGS, headName, type ModelConfig } from "../model-config.ts";
import { rotaryTablesFor } from "../rotary.ts";
import { elementCount } from "../../../graph/tensor.ts";
import { bucket } from "../least-rows.ts";
import { COLDEST } from "../../policy.ts";

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

interface Way extends Sprout {
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
/** Guesses are grouped by how likely they are found, in tenths: those drawn, and the others. */
const TENTHS = 10;
/** Candidates beside the one that is drawn. */
const OTHERS = 3;

/** The beginning of a tree for every sequence that is sampled and has room to go on. */
function beginWays(sequences: readonly Sequence[], most: (sequence: Sequence) => number, contextLength: number): Way[] {
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
async function growTrees<Kind extends Way>(
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
function longer<Kind extends Way>(way: Kind, next: Node, branched: boolean): Kind {
  const node = grow(way.tree, way.node, next);
  const place = way.place?.next.get(next.token);
  return { ...way, depth: way.depth + 1, branched: way.branched || branched, node, place };
}

/** Reads the nodes that a way goes on by from predictions, and remembers how often such were right. */
function createReader() {
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

// Guesses by a smaller model with the same tokens. It draws with the random numbers that the response is going to draw with: where
// both models see the next token alike, both draw the same. The response stays what it would be without it.

export interface DraftModel {
  readonly config: ModelConfig;
  readonly weights: Readonly<Record<string, Float32Array>>;
  readonly program: (shape: DecodeShape) => Promise<Program>;
}

/** Tokens read at a time, and how many are left to the next lane. */
const WIDTHS = [32, 8] as const;
const LEAST = [8, 0] as const;

interface Shadow extends LaneRow {
  temperature: number;
}

interface ModelWay extends Way {
  readonly shadow: Shadow;
}

/** `most`: tokens of a context that it reads, the first and the last. Default: all of them. */
export function createModelDrafter({ config, weights, program }: DraftModel, maxRows: number, most?: number): Guesser {
  const tables = rotaryTablesFor(config);
  const shared = { config, weights, program, tables, maxRows: (OTHERS + 1) * maxRows, least: { rows: 2, tall: [] } };
  const pool = createArenaPool(config);
  const laneOf = (width: number): Lane<Shadow> => new Lane<Shadow>({ ...shared, width, pool });
  const [reading, guessing] = [WIDTHS.map(laneOf), laneOf(1)];
  // By what a conversation has read: one that goes on has the same.
  const shadows = new WeakMap<KeyValueStore, Shadow>();
  const reader = createReader();

  /** The same conversation as this model has read it; what was guessed and not drawn is forgotten. */
  const shadowOf = (sequence: Sequence): Shadow => {
    const { temperature } = sequence;
    const tokens = compressContext(sequence.tokens, sequence.count, most);
    const count = tokens.length;
    const fresh = { store: createStore(), tokens: new Int32Array(0), count, cached: 0, temperature, draft: NO_DRAFT };
    const shadow = shadows.get(sequence.store) ?? fresh;
    let same = 0;
    while (same < Math.min(shadow.cached, count - 1) && shadow.tokens[same] === tokens[same]) same += 1;
    Object.assign(shadow.store, copyStore(shadow.store, same));
    const own = new Int32Array(tokens.length + WIDTHS[0]);
    own.set(tokens);
    Object.assign(shadow, { tokens: own, count, cached: same, temperature });
    shadows.set(sequence.store, shadow);
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

  /** One more token at the end of each way. Those that go on are given back, and where a way has branched, all its branches. */
  const step = async (ways: readonly ModelWay[], expand: Expand): Promise<ModelWay[]> => {
    const inside = new Set(guessing.rows);
    guessing.join(ways.map(({ shadow }) => shadow).filter((shadow) => !inside.has(shadow)));
    const predictions = await guessing.step();
    const rows = new Map(guessing.rows.map((shadow, at) => [shadow, at]));
    const chosen = ways.map((way) => reader.nodesOf(way, predictions(rows.get(way.shadow) as number), expand));
    guessing.leave(ways.filter((_, at) => chosen[at]?.length !== 1).map(({ shadow }) => shadow));
    const next = ways.flatMap((way, at) => grown(way, chosen[at] as readonly Node[])).filter(goesOn);
    const going = new Set(next.map(({ shadow }) => shadow));
    guessing.leave(guessing.rows.filter((shadow) => !going.has(shadow)));
    return next;
  };

  return {
    draft: async (sequences, nodes, expand) => {
      const begun = beginWays(sequences, nodes, most === undefined ? config.contextLength : Infinity);
      const ways = begun.map((way): ModelWay => ({ ...way, shadow: shadowOf(way.sequence) }));
      try {
        await read(ways.map(({ shadow }) => shadow));
        return await growTrees(sequences, ways, (going) => step(going, expand));
      } finally {
        for (const lane of [...reading, guessing]) lane.leave([...lane.rows]);
      }
    },
    judge: reader.judge,
  };
}

/** Parts of the budget that the beginning takes, and a block. */
const QUARTER = 4;

/**
 * The tokens of a context of `count` that fit into `most`: its beginning, where the task stands, and its end, where the talk is. The middle is
 * left out, in whole blocks, so that what was read stays read until the next block goes.
 */
export function compressContext(tokens: Int32Array, count: number, most: number | undefined): Int32Array {
  if (most === undefined || count <= most) return tokens.subarray(0, count);
  const block = Math.max(1, Math.floor(most / QUARTER));
  const dropped = Math.ceil((count - most) / block) * block;
  const kept = new Int32Array(count - dropped);
  kept.set(tokens.subarray(0, block));
  kept.set(tokens.subarray(block + dropped, count), block);
  return kept;
}

/** The way, longer by each of the nodes. The first goes on as it is; the others begin with a copy of what it has read. */
function grown(way: ModelWay, nodes: readonly Node[]): ModelWay[] {
  const { shadow } = way;
  const copies = nodes.map((_, at) =>
    at === 0
      ? shadow
      : { ...shadow, tokens: shadow.tokens.slice(), store: copyStore(shadow.store, shadow.store.length) },
  );
  return nodes.map((next, at) => {
    const own = copies[at] as Shadow;
    own.tokens[own.count] = next.token;
    own.count += 1;
    return { ...longer(way, next, nodes.length > 1), shadow: own };
  });
}

// Guesses by heads on the model's last hidden state. The model has made that state anyway, so a guess costs one small step where
// a draft model would have to read everything first.

/** Heads at work: what they learnt, and the program of so many rows (`guessGraph`). */
export interface DraftHeads {
  readonly weights: Readonly<Record<string, Float32Array>>;
  readonly program: (rows: number) => Promise<Program>;
}

interface HeadsWay extends Way {
  /** The state before the word at its end. */
  readonly state: Float32Array;
  readonly word: number;
}

/** A way that is less likely than this is not followed: the next step would cost more than it is worth. */
const DIM = 0.2;
/** A single row takes another path of the runtime. */
const LEAST_ROWS = 2;

/** `weights` are the model's. */
export function createHeadsDrafter(
  config: ModelConfig,
  weights: Readonly<Record<string, Float32Array>>,
  heads: DraftHeads,
  maxRows: number,
): Guesser {
  const { hiddenSize, vocabularySize } = config;
  const reader = createReader();
  const words = [EMBEDDINGS, headName(config)];
  const held = { ...heads.weights, ...Object.fromEntries(words.map((name) => [name, weights[name] as Float32Array])) };
  const kept = new Map<number, Room>();

  const step = async (ways: readonly HeadsWay[], expand: Expand): Promise<HeadsWay[]> => {
    const rows = bucket(ways.length, LEAST_ROWS, (OTHERS + 1) * maxRows);
    const program = await heads.program(rows);
    const room = kept.get(rows) ?? createRoom(program, rows, hiddenSize);
    kept.set(rows, room);
    ways.forEach(({ state, word, sequence: { temperature } }, at) => {
      room.state.set(state, at * hiddenSize);
      room.ids[at] = BigInt(word);
      room.sharpness[at] = temperature >= COLDEST ? 1 / temperature : 1;
    });
    const { state, ids, sharpness } = room;
    const results = await program.run({ ...held, state, ids, sharpness }, room.into);
    const part = (name: string, at: number, size: number): Float32Array =>
      (results[name] as Float32Array).subarray(at * size, (at + 1) * size);
    return ways.flatMap((way, at) => {
      const prediction: Prediction = {
        logprobs: part("logprobs", at, vocabularySize),
        probabilities: part("probabilities", at, vocabularySize),
      };
      const chosen = reader.nodesOf(way, prediction, expand);
      if (chosen.length === 0) return [];
      const after = part("next", at, hiddenSize).slice();
      return chosen
        .map((node) => ({ ...longer(way, node, chosen.length > 1), state: after, word: node.token }))
        .filter((going) => goesOn(going) && (going.tree.reach[going.node] as number) >= DIM);
    });
  };

  return {
    draft: (sequences, most, expand) => {
      const begun = beginWays(sequences.filter(knowsState), most, config.contextLength).map((way): HeadsWay => {
        const { state, tokens, count } = way.sequence;
        return { ...way, state: state?.values as Float32Array, word: tokens[count - 1] as number };
      });
      return growTrees(sequences, begun, (ways) => step(ways, expand));
    },
    judge: reader.judge,
  };
}

/** Whether the state is the one that the last token was drawn from. */
function knowsState({ state, count }: Sequence): boolean {
  return state?.count === count;
}

/** What a step is fed with and writes to; the runtime knows the same arrays again. */
interface Room {
  readonly state: Float32Array;
  readonly ids: BigInt64Array;
  readonly sharpness: Float32Array;
  readonly into: Readonly<Record<string, Float32Array>>;
}

function createRoom({ model }: Program, rows: number, hiddenSize: number): Room {
  const results = Object.entries(model.outputs).map(
    ([name, { shape }]) => [name, new Float32Array(elementCount(shape))] as const,
  );
  return {
    state: new Float32Array(rows * hiddenSize),
    ids: new BigInt64Array(rows),
    sharpness: new Float32Array(rows).fill(1),
    into: Object.fromEntries(results),
  };
}
