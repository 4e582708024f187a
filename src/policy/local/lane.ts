/**
 * A lane decodes conversations that take equally many tokens at a time. Its rows are the first rows of an arena; when some
 * leave, the last take their places, so that the rows of a step lie together.
 *
 * Two rules keep a row's numbers independent of its company: a step never runs fewer rows than `leastRows` says, and rows
 * of different widths never share a step.
 */
import type { Program, TensorData } from "../../graph/index.ts";
import { elementCount } from "../../graph/tensor.ts";
import type { ArenaPool } from "./arena-pool.ts";
import { bucket } from "./buckets.ts";
import type { Prediction } from "./draw.ts";
import type { DecodeShape } from "./decode-graph.ts";
import { createArena, loadRow, moveRow, saveRow, writeRow, type Arena, type KeyValueStore } from "./key-value.ts";
import type { ModelConfig } from "./model-config.ts";
import { HIDDEN, VISIBLE } from "./transformer.ts";

/** What a lane needs to know of a conversation. */
export interface LaneRow {
  readonly store: KeyValueStore;
  /** Tokens read and said. */
  tokens: Int32Array;
  count: number;
  /** How many of them are in the cache: in the store, or in the lane's arena while it runs. */
  cached: number;
  /** What its next token is drawn with. */
  readonly temperature: number;
}

export interface LaneOptions {
  readonly config: ModelConfig;
  readonly width: number;
  readonly maxRows: number;
  /** A step of fewer is filled up with empty rows. */
  readonly minRows: number;
  readonly weights: Readonly<Record<string, Float32Array>>;
  /** The rotary tables for so many positions; the same arrays each time. */
  readonly tables: (positions: number) => Readonly<Record<string, Float32Array>>;
  readonly pool: ArenaPool;
  readonly program: (shape: DecodeShape) => Promise<Program>;
}

export interface Lane<Row extends LaneRow> {
  readonly rows: readonly Row[];
  join(rows: readonly Row[]): void;
  /** Copies what the rows have gained back into their stores. */
  leave(rows: readonly Row[]): void;
  /** Takes the next tokens of every row; the prediction of a row is the one after its last taken token. */
  step(): Promise<(row: number) => Prediction>;
}

const LEAST_SLOTS = 64;

export function createLane<Row extends LaneRow>(options: LaneOptions): Lane<Row> {
  const { config, width, maxRows, minRows, weights, tables, pool } = options;
  const rows: Row[] = [];
  const nothing = createArena(config, 0, LEAST_SLOTS);
  let arena: Arena = nothing;
  let mask = createMask(0, LEAST_SLOTS);
  let kept: { readonly model: Program["model"]; readonly arrays: Record<string, TensorData> } | undefined;
  let fed: Fed | undefined;

  const slotsFor = (slots: number): number =>
    bucket(Math.max(slots, 1), LEAST_SLOTS, Math.max(LEAST_SLOTS, config.contextLength));

  /** Room for `wanted` rows of `slots` positions; what is there moves along. */
  const fit = (wanted: number, slots: number): void => {
    const largest = slotsFor(slots);
    const needed = bucket(wanted, minRows, maxRows);
    if (largest <= arena.slots && needed <= arena.rows) return;
    const grown = pool.take(Math.max(needed, arena.rows), Math.max(largest, arena.slots));
    rows.forEach((row, at) => moveRow(config, { arena, row: at }, { arena: grown, row: at }, row.cached));
    if (arena !== nothing) pool.give(arena);
    arena = grown;
  };

  const feeds = (shape: DecodeShape): Record<string, TensorData> => {
    if (mask.slots !== shape.slots || mask.seen.length < shape.rows) mask = createMask(shape.rows, shape.slots);
    if (fed?.arena !== arena || fed.mask !== mask || fed.rows !== shape.rows) {
      fed = createFed(config, arena, mask, { rows: shape.rows, width });
    }
    const { ids, last, positions, sharpness } = fed;
    ids.fill(0n);
    last.fill(0n);
    positions.fill(0n);
    sharpness.fill(1);
    rows.forEach((row, at) => {
      const taken = Math.min(width, row.count - row.cached);
      for (let index = 0; index < width; index += 1) {
        positions[at * width + index] = BigInt(Math.min(row.cached + index, shape.slots - 1));
        if (index < taken) ids[at * width + index] = BigInt(row.tokens[row.cached + index] as number);
      }
      last[at] = BigInt(at * width + taken - 1);
      if (row.temperature > 0) sharpness[at] = 1 / row.temperature;
      show(mask, at, row.cached);
    });
    return { ...weights, ...tables(shape.slots), ...fed.views, positions, ids, last, sharpness };
  };

  /** Where results are written, kept as long as the shape is: new memory for every step costs its collection too. */
  const resultsOf = ({ model }: Program): Record<string, TensorData> => {
    if (kept?.model !== model) {
      const entries = Object.entries(model.outputs);
      kept = {
        model,
        arrays: Object.fromEntries(entries.map(([name, { shape }]) => [name, new Float32Array(elementCount(shape))])),
      };
    }
    return kept.arrays;
  };

  return {
    rows,
    join: (joining) => {
      const slots = joining.reduce((most, row) => Math.max(most, Math.min(row.count, row.cached + width)), 0);
      fit(rows.length + joining.length, slots);
      for (const row of joining) {
        loadRow(config, arena, rows.length, row.store);
        rows.push(row);
      }
    },
    leave: (leaving) => {
      const gone = new Set(leaving);
      rows.forEach((row, at) => {
        if (gone.has(row)) saveRow(config, arena, at, row.store, row.cached);
      });
      const left = rows.length - gone.size;
      let last = rows.length - 1;
      for (let at = 0; at < left; at += 1) {
        if (!gone.has(rows[at] as Row)) continue;
        while (gone.has(rows[last] as Row)) last -= 1;
        const moved = rows[last] as Row;
        moveRow(config, { arena, row: last }, { arena, row: at }, moved.cached);
        rows[at] = moved;
        last -= 1;
      }
      rows.length = left;
      if (left > 0 || arena === nothing) return;
      pool.give(arena);
      arena = nothing;
      fed = undefined;
    },
    step: async () => {
      const furthest = rows.reduce((most, row) => Math.max(most, Math.min(row.count, row.cached + width)), 0);
      fit(rows.length, furthest);
      const shape = { rows: bucket(rows.length, minRows, maxRows), width, slots: arena.slots };
      const program = await options.program(shape);
      const results = await program.run(feeds(shape), resultsOf(program));
      for (let layer = 0; layer < config.layers; layer += 1) {
        const keys = results[`newKeys.${layer}`] as Float32Array;
        const values = results[`newValues.${layer}`] as Float32Array;
        rows.forEach((row, at) => {
          const count = Math.min(width, row.count - row.cached);
          writeRow(config, arena, at, row.cached, { layer, keys, values, width, count });
        });
      }
      for (const row of rows) row.cached += Math.min(width, row.count - row.cached);
      const size = config.vocabularySize;
      const part = (name: string, row: number): Float32Array =>
        (results[name] as Float32Array).subarray(row * size, (row + 1) * size);
      return (row) => ({ logprobs: part("logprobs", row), probabilities: part("probabilities", row) });
    },
  };
}

/** What a step is fed with. It is kept as long as the shape and the arena are: the runtime knows the same arrays again. */
interface Fed {
  readonly arena: Arena;
  readonly mask: Mask;
  readonly rows: number;
  readonly ids: BigInt64Array;
  readonly last: BigInt64Array;
  readonly positions: BigInt64Array;
  readonly sharpness: Float32Array;
  /** The part of the cache and of the mask that the rows take. */
  readonly views: Readonly<Record<string, Float32Array>>;
}

function createFed(
  { keyValueHeads, headSize }: ModelConfig,
  arena: Arena,
  mask: Mask,
  { rows, width }: { readonly rows: number; readonly width: number },
): Fed {
  const { slots } = arena;
  const size = rows * keyValueHeads * headSize * slots;
  const views: Record<string, Float32Array> = { past: mask.values.subarray(0, rows * slots) };
  arena.keys.forEach((keys, layer) => (views[`keys.${layer}`] = keys.subarray(0, size)));
  arena.values.forEach((values, layer) => (views[`values.${layer}`] = values.subarray(0, size)));
  return {
    arena,
    mask,
    rows,
    ids: new BigInt64Array(rows * width),
    last: new BigInt64Array(rows),
    positions: new BigInt64Array(rows * width),
    sharpness: new Float32Array(rows),
    views,
  };
}

/** Which slots of each row are in use. It is kept between steps, which change it by a slot or so. */
interface Mask {
  readonly slots: number;
  readonly values: Float32Array;
  readonly seen: Int32Array;
}

function createMask(rows: number, slots: number): Mask {
  return { slots, values: new Float32Array(rows * slots).fill(HIDDEN), seen: new Int32Array(rows) };
}

function show({ slots, values, seen }: Mask, row: number, count: number): void {
  const before = seen[row] as number;
  if (count > before) values.fill(VISIBLE, row * slots + before, row * slots + count);
  else values.fill(HIDDEN, row * slots + count, row * slots + before);
  seen[row] = count;
}
