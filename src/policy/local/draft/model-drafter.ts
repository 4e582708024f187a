/**
 * Guesses by a smaller model with the same tokens. It draws with the random numbers that the response is going to draw with: where
 * both models see the next token alike, both draw the same. The response stays what it would be without it.
 */
import type { Program } from "../../../graph/index.ts";
import { copyStore, createArenaPool, createStore, type KeyValueStore } from "../key-value.ts";
import type { DecodeShape } from "../decode-graph.ts";
import { Lane, type LaneRow } from "../lane.ts";
import type { ModelConfig } from "../model-config.ts";
import { rotaryTablesFor } from "../rotary.ts";
import type { Sequence } from "../sequence.ts";
import {
  beginWays,
  createReader,
  goesOn,
  growTrees,
  longer,
  OTHERS,
  type Expand,
  type Guesser,
  type Way,
} from "./guesser.ts";
import { NO_DRAFT, type Node } from "./tree.ts";

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
    const tokens = compressed(sequence.tokens, sequence.count, most);
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
export function compressed(tokens: Int32Array, count: number, most: number | undefined): Int32Array {
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
