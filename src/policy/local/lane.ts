/**
 * A lane decodes conversations that take equally many tokens at a time. Its rows are the first rows of an arena; when one
 * leaves, the last takes its place, so that the rows of a step lie together.
 *
 * Two rules keep a row's numbers independent of its company: a step never runs a single row, and rows of different
 * widths never share a step.
 */
import type { Program, TensorData } from "../../graph/index.ts";
import { bucket } from "./buckets.ts";
import { EMPTY_SLOT, type DecodeShape } from "./decode-graph.ts";
import { createArena, loadRow, moveRow, saveRow, writeRow, type Arena, type KeyValueStore } from "./key-value.ts";
import type { ModelConfig } from "./model-config.ts";
import { rotaryValues } from "./rotary.ts";

/** What a lane needs to know of a conversation. */
export interface LaneRow {
  readonly store: KeyValueStore;
  /** Tokens read and said. */
  tokens: Int32Array;
  count: number;
  /** How many of them are in the cache: in the store, or in the lane's arena while it runs. */
  cached: number;
}

export interface LaneOptions {
  readonly config: ModelConfig;
  readonly width: number;
  readonly maxRows: number;
  readonly weights: Readonly<Record<string, Float32Array>>;
  readonly program: (shape: DecodeShape) => Promise<Program>;
}

export interface Lane<Row extends LaneRow> {
  readonly rows: readonly Row[];
  readonly full: boolean;
  join(row: Row): void;
  /** Copies what the row has gained back into its store. */
  leave(row: Row): void;
  /** Takes the next tokens of every row; afterwards `logits` of a row are those after its last taken token. */
  step(): Promise<{ readonly logits: (row: number) => Float32Array }>;
}

const LEAST_SLOTS = 64;

export function createLane<Row extends LaneRow>(options: LaneOptions): Lane<Row> {
  const { config, width, maxRows, weights } = options;
  const rows: Row[] = [];
  const tables = rotaryValues(config, config.contextLength);
  let arena: Arena = createArena(config, 0, LEAST_SLOTS);
  let capacity = 0;

  /** Room for `wanted` rows of `slots` positions; what is there moves along. */
  const fit = (wanted: number, slots: number): void => {
    const largest = bucket(Math.max(slots, 1), LEAST_SLOTS, Math.max(LEAST_SLOTS, config.contextLength));
    const needed = bucket(Math.max(2, wanted), 2, maxRows);
    if (largest <= arena.slots && needed <= capacity) return;
    capacity = Math.max(needed, capacity);
    const grown = createArena(config, capacity, Math.max(largest, arena.slots));
    rows.forEach((row, at) => moveRow(config, { arena, row: at }, { arena: grown, row: at }, row.cached));
    arena = grown;
  };

  const feeds = (shape: DecodeShape): Record<string, TensorData> => {
    const { headSize, keyValueHeads } = config;
    const ids = new BigInt64Array(shape.rows * width);
    const last = new BigInt64Array(shape.rows);
    const positions = new BigInt64Array(shape.rows * width);
    const past = new Float32Array(shape.rows * shape.slots).fill(EMPTY_SLOT);
    rows.forEach((row, at) => {
      const taken = Math.min(width, row.count - row.cached);
      for (let index = 0; index < width; index += 1) {
        positions[at * width + index] = BigInt(Math.min(row.cached + index, config.contextLength - 1));
        if (index < taken) ids[at * width + index] = BigInt(row.tokens[row.cached + index] as number);
      }
      last[at] = BigInt(at * width + taken - 1);
      past.fill(0, at * shape.slots, at * shape.slots + row.cached);
    });
    const size = shape.rows * keyValueHeads * headSize * shape.slots;
    const cache: Record<string, TensorData> = {};
    arena.keys.forEach((keys, layer) => (cache[`keys.${layer}`] = keys.subarray(0, size)));
    arena.values.forEach((values, layer) => (cache[`values.${layer}`] = values.subarray(0, size)));
    return { ...weights, ...cache, ...tables, positions, ids, last, past };
  };

  return {
    rows,
    get full() {
      return rows.length >= maxRows;
    },
    join: (row) => {
      if (rows.length === 0) arena = createArena(config, (capacity = 0), LEAST_SLOTS);
      fit(rows.length + 1, row.cached);
      loadRow(config, arena, rows.length, row.store);
      rows.push(row);
    },
    leave: (row) => {
      const at = rows.indexOf(row);
      saveRow(config, arena, at, row.store, row.cached);
      const moved = rows.pop() as Row;
      if (moved === row) return;
      moveRow(config, { arena, row: rows.length }, { arena, row: at }, moved.cached);
      rows[at] = moved;
    },
    step: async () => {
      const furthest = rows.reduce((most, row) => Math.max(most, Math.min(row.count, row.cached + width)), 0);
      fit(rows.length, furthest);
      const shape = { rows: bucket(Math.max(2, rows.length), 2, maxRows), width, slots: arena.slots };
      const program = await options.program(shape);
      const results = await program.run(feeds(shape));
      rows.forEach((row, at) => {
        const count = Math.min(width, row.count - row.cached);
        for (let layer = 0; layer < config.layers; layer += 1) {
          const keys = results[`newKeys.${layer}`] as Float32Array;
          const values = results[`newValues.${layer}`] as Float32Array;
          writeRow(config, arena, at, row.cached, { layer, keys, values, width, count });
        }
        row.cached += count;
      });
      const logits = results["logits"] as Float32Array;
      const size = config.vocabularySize;
      return { logits: (row) => logits.subarray(row * size, (row + 1) * size) };
    },
  };
}
