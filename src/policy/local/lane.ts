/**
 * A lane decodes conversations that take equally many tokens at a time. Each has a seat, a row of the lane's arena. A step
 * runs in parts of neighbouring seats: what a part computes stays in the processor's cache, and few rows are run for nothing.
 *
 * Rows of one token at a time come back after every observation. Their lane keeps its arena, and a seat that was left
 * remembers whose it was, so that its holder brings along only what it has read in between.
 *
 * Two rules keep a row's numbers independent of its company: a step never runs fewer rows than `leastRows` says, and rows
 * of different widths never share a step.
 */
import { elementCount, type Program, type TensorData } from "../../graph/index.ts";
import type { ArenaPool } from "./arena-pool.ts";
import { bucket, lengthSize } from "./buckets.ts";
import type { Prediction } from "./draw.ts";
import type { DecodeShape } from "./decode-graph.ts";
import { createArena, loadRow, moveRow, saveRow, writeRow, type Arena, type KeyValueStore } from "./key-value.ts";
import { leastRows } from "./least-rows.ts";
import type { ModelConfig } from "./model-config.ts";
import type { RotaryTables } from "./rotary.ts";
import { createSeats } from "./seats.ts";
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
  /** Threads that a run has; unknown unless told. */
  readonly threads?: number | undefined;
  readonly maxRows: number;
  readonly weights: Readonly<Record<string, Float32Array>>;
  readonly tables: RotaryTables<Float32Array>;
  readonly pool: ArenaPool;
  readonly program: (shape: DecodeShape) => Promise<Program>;
}

export interface Lane<Row extends LaneRow> {
  readonly rows: readonly Row[];
  readonly size: number;
  join(rows: readonly Row[]): void;
  /** Copies what the rows have gained back into their stores. */
  leave(rows: readonly Row[]): void;
  /** Takes the next tokens of every row; the prediction of a row is the one after its last taken token. */
  step(): Promise<(row: Row) => Prediction>;
  /** Forgets everything, after all have left: after a failure, numbers that are not finite may lie here. */
  clear(): void;
}

const LEAST_SLOTS = 64;
/** Tokens in one part of a step: the scores of so many against a few hundred keys fit into the cores' caches. */
const PART_TOKENS = 256;
/** Tokens that are rather run for nothing than left to a part of their own. */
const IDLE_TOKENS = 8;

export function createLane<Row extends LaneRow>(options: LaneOptions): Lane<Row> {
  const { config, width, maxRows, weights, tables, pool } = options;
  const most = bucket(Math.min(maxRows, Math.max(2, PART_TOKENS / width)), 2, Infinity);
  const sizes = { least: leastRows(config, width, most, options.threads), most, width };
  const nothing = createArena(config, 0, LEAST_SLOTS);
  let arena: Arena = nothing;
  const seats = createSeats<Row>({
    stays: width === 1,
    idle: Math.floor(IDLE_TOKENS / width),
    move: (from, to, length) => moveRow(config, { arena, row: from }, { arena, row: to }, length),
  });
  let mask = createMask(0, LEAST_SLOTS);
  /** Where the results of each part are written, kept as long as its shape is: new memory costs its collection too. */
  const kept: { readonly model: Program["model"]; readonly arrays: Record<string, TensorData> }[] = [];

  /** Room for `wanted` rows of `slots` positions; what is there moves along. */
  const fit = (wanted: number, slots: number): void => {
    const largest = lengthSize(slots, Math.max(LEAST_SLOTS, config.contextLength));
    const needed = bucket(wanted, sizes.least, Infinity);
    if (largest <= arena.slots && needed <= arena.rows) return;
    const grown = pool.take(Math.max(needed, arena.rows), Math.max(largest, arena.slots));
    for (const [row, seat] of seats.places) {
      moveRow(config, { arena, row: seat }, { arena: grown, row: seat }, row.cached);
    }
    seats.forget();
    if (arena !== nothing) pool.give(arena);
    arena = grown;
  };

  const furthest = (rows: Iterable<Row>): number => {
    let slots = 1;
    for (const row of rows) slots = Math.max(slots, Math.min(row.count, row.cached + width));
    return slots;
  };

  const feeds = ({ first, rows: count }: Part): Record<string, TensorData> => {
    const { slots } = arena;
    const ids = new BigInt64Array(count * width);
    const last = new BigInt64Array(count);
    const positions = new BigInt64Array(count * width);
    const sharpness = new Float32Array(count).fill(1);
    if (mask.slots !== slots || mask.seen.length < first + count) mask = createMask(arena.rows, slots);
    seats.eachOf(first, count, (row, at) => {
      const taken = Math.min(width, row.count - row.cached);
      for (let index = 0; index < width; index += 1) {
        positions[at * width + index] = BigInt(Math.min(row.cached + index, config.contextLength - 1));
        if (index < taken) ids[at * width + index] = BigInt(row.tokens[row.cached + index] as number);
      }
      last[at] = BigInt(at * width + taken - 1);
      if (row.temperature > 0) sharpness[at] = 1 / row.temperature;
      show(mask, first + at, row.cached);
    });
    const past = mask.values.subarray(first * slots, (first + count) * slots);
    const size = config.keyValueHeads * config.headSize * slots;
    const cache: Record<string, TensorData> = {};
    const part = (whole: Float32Array): Float32Array => whole.subarray(first * size, (first + count) * size);
    arena.keys.forEach((keys, layer) => (cache[`keys.${layer}`] = part(keys)));
    arena.values.forEach((values, layer) => (cache[`values.${layer}`] = part(values)));
    return { ...weights, ...cache, ...tables, positions, ids, last, sharpness, past };
  };

  const resultsOf = (part: number, { model }: Program): Record<string, TensorData> => {
    const known = kept[part];
    if (known?.model === model) return known.arrays;
    const entries = Object.entries(model.outputs);
    const arrays = Object.fromEntries(
      entries.map(([name, { shape }]) => [name, new Float32Array(elementCount(shape))] as const),
    );
    kept[part] = { model, arrays };
    return arrays;
  };

  /** Puts what a part has computed into the cache. */
  const keep = ({ first, rows: count }: Part, results: Readonly<Record<string, TensorData>>): void => {
    seats.eachOf(first, count, (row, at) => {
      const taken = Math.min(width, row.count - row.cached);
      for (let layer = 0; layer < config.layers; layer += 1) {
        const keys = results[`newKeys.${layer}`] as Float32Array;
        const values = results[`newValues.${layer}`] as Float32Array;
        writeRow(config, arena, first + at, row.cached, { row: at, layer, keys, values, width, count: taken });
      }
      row.cached += taken;
    });
  };

  return {
    get rows() {
      return [...seats.places.keys()];
    },
    get size() {
      return seats.places.size;
    },
    join: (joining) => {
      fit(seats.places.size + joining.length, furthest(joining));
      seats.take(joining, arena.rows, (row, seat, known) => loadRow(config, arena, seat, row.store, known));
    },
    leave: (leaving) => {
      for (const row of leaving) {
        saveRow(config, arena, seats.places.get(row) as number, row.store, row.cached);
        seats.leave(row);
      }
      if (seats.places.size > 0 || width === 1 || arena === nothing) return;
      seats.forget();
      pool.give(arena);
      arena = nothing;
    },
    step: async () => {
      fit(seats.places.size, furthest(seats.places.keys()));
      const predictions = new Map<number, Prediction>();
      for (const [index, part] of partsOf(seats.span(), sizes).entries()) {
        const program = await options.program({ rows: part.rows, width, slots: arena.slots });
        const results = await program.run(feeds(part), resultsOf(index, program));
        keep(part, results);
        const size = config.vocabularySize;
        const of = (name: string, row: number): Float32Array =>
          (results[name] as Float32Array).subarray(row * size, (row + 1) * size);
        seats.eachOf(part.first, part.rows, (_, at) =>
          predictions.set(part.first + at, {
            logprobs: of("logprobs", at),
            probabilities: of("probabilities", at),
          }),
        );
      }
      return (row) => predictions.get(seats.places.get(row) as number) as Prediction;
    },
    clear: () => {
      seats.forget();
      arena = nothing;
    },
  };
}

/** Neighbouring rows that are run together; the last part may reach beyond the rows there are. */
interface Part {
  readonly first: number;
  readonly rows: number;
}

interface PartSizes {
  readonly least: number;
  readonly most: number;
  readonly width: number;
}

function partsOf(count: number, { least, most, width }: PartSizes): Part[] {
  const parts: Part[] = [];
  for (let first = 0; first < count;) {
    const left = count - first;
    let size = left >= most ? most : bucket(left, least, most);
    if ((size - left) * width > IDLE_TOKENS && size / 2 >= least) size /= 2;
    parts.push({ first, rows: size });
    first += size;
  }
  return parts;
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
