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
import { bucket, fineBucket } from "./buckets.ts";
import type { Company, Pass } from "./draft/pace.ts";
import { depthsOf, writeSight, type DraftTree } from "./draft/tree.ts";
import type { Prediction } from "./draw.ts";
import type { DecodeShape } from "./decode-graph.ts";
import {
  createArena,
  loadRow,
  moveRow,
  moveSlot,
  saveRow,
  writeRow,
  type Arena,
  type CacheNumbers,
  type KeyValueStore,
} from "./key-value.ts";
import { createMask, show, type Mask } from "./lane-mask.ts";
import type { Least } from "./least-rows.ts";
import type { ModelConfig } from "./model-config.ts";
import { HIDDEN } from "./transformer.ts";
import { COLDEST } from "../policy.ts";

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
  /** Guesses of the tokens that follow the last one; read where the lane takes guesses. */
  readonly draft: DraftTree;
}

export interface LaneOptions {
  readonly config: ModelConfig;
  readonly width: number;
  readonly maxRows: number;
  /** A step of fewer is filled up with empty rows; products that need more tokens yet see to it themselves. */
  readonly least: Least;
  /** Most tokens of a row in a pass that reads guesses too; for a lane of one token at a time. Default: no guesses. */
  readonly widest?: number | undefined;
  /** Fewest tokens of a row in such a pass: whoever chose a width wants the program of that width. Default: 2. */
  readonly narrowest?: (() => number) | undefined;
  /** Whether predictions come with the hidden states behind them; asked at every step. Default: no. */
  readonly states?: (() => boolean) | undefined;
  readonly weights: Readonly<Record<string, Float32Array>>;
  /** The rotary tables for so many positions; the same arrays each time. */
  readonly tables: (positions: number) => Readonly<Record<string, Float32Array>>;
  readonly pool: ArenaPool;
  readonly program: (shape: DecodeShape) => Promise<Program>;
}

export interface Lane<Row extends LaneRow> {
  readonly rows: readonly Row[];
  readonly width: number;
  /** The last step. */
  readonly pass: Pass;
  /** As the next step would be. */
  readonly company: Company;
  join(rows: readonly Row[]): void;
  /** Copies what the rows have gained back into their stores. */
  leave(rows: readonly Row[]): void;
  /** Takes the next tokens of every row; the prediction of a row is the one after its last taken token, or after a node of its draft. */
  step(): Promise<(row: number, node?: number) => Prediction>;
  /** The node of the row's draft was what was said: it has been read. */
  keep(row: number, node: number): void;
}

const LEAST_SLOTS = 64;

export function createLane<Row extends LaneRow>(options: LaneOptions): Lane<Row> {
  const { config, width, maxRows, least, weights, tables, pool, widest = 0 } = options;
  const rows: Row[] = [];
  const tall = least.tall.length === 0 ? {} : { tall: least.tall };
  const nothing = createArena(config, 0, LEAST_SLOTS);
  let arena: Arena = nothing;
  let mask = createMask(0, LEAST_SLOTS);
  const kept = new WeakMap<Program["model"], Record<string, TensorData>>();
  const fedBefore = new Map<string, Fed>();
  let pass: Pass = { rows: 0, slots: 0, width, milliseconds: 0, making: 0 };
  /** Where the first guess of each row lies. */
  let guesses: readonly number[] = [];

  /** Tokens of its own that a row takes in this step, and with its draft. */
  const own = (row: Row): number => Math.min(width, row.count - row.cached);
  const taken = (row: Row): number => own(row) + (widest === 0 ? 0 : row.draft.tokens.length);
  const furthest = (some: readonly Row[]): number =>
    some.reduce((most, row) => Math.max(most, row.cached + taken(row)), 0);

  const slotsFor = (slots: number): number =>
    fineBucket(Math.max(slots, 1), LEAST_SLOTS, Math.max(LEAST_SLOTS, config.contextLength));

  /** Room for `wanted` rows of `slots` positions; what is there moves along. */
  const fit = (wanted: number, slots: number): void => {
    const largest = slotsFor(slots);
    const needed = bucket(wanted, least.rows, maxRows);
    if (largest <= arena.slots && needed <= arena.rows) return;
    const grown = pool.take(Math.max(needed, arena.rows), Math.max(largest, arena.slots));
    rows.forEach((row, at) => moveRow(config, { arena, row: at }, { arena: grown, row: at }, row.cached));
    if (arena !== nothing) pool.give(arena);
    arena = grown;
  };

  const feeds = (shape: DecodeShape): Readonly<Record<string, TensorData>> => {
    if (mask.slots !== shape.slots || mask.seen.length < shape.rows) mask = createMask(shape.rows, shape.slots);
    const { width: wide } = shape;
    const key = `${shape.rows} ${wide}`;
    const [before] = fedBefore.values();
    if (before?.arena !== arena || before.mask !== mask) fedBefore.clear();
    const fed = fedBefore.get(key) ?? createFed(config, arena, mask, shape, { ...weights, ...tables(shape.slots) });
    fedBefore.set(key, fed);
    const { ids, last, positions, sharpness, among } = fed;
    ids.fill(0n);
    last.fill(0n);
    positions.fill(0n);
    sharpness.fill(1);
    rows.forEach((row, at) => {
      const count = own(row);
      for (let index = 0; index < width; index += 1) {
        positions[at * wide + index] = BigInt(Math.min(row.cached + index, shape.slots - 1));
        if (index < count) ids[at * wide + index] = BigInt(row.tokens[row.cached + index] as number);
      }
      if (shape.tree === true) {
        const { draft } = row;
        depthsOf(draft).forEach((depth, node) => {
          positions[at * wide + 1 + node] = BigInt(row.cached + depth);
          ids[at * wide + 1 + node] = BigInt(draft.tokens[node] as number);
        });
        writeSight(draft, among, at * wide * wide, wide);
      }
      last[at] = BigInt(at * wide + count - 1);
      if (row.temperature >= COLDEST) sharpness[at] = 1 / row.temperature;
      show(mask, at, row.cached);
    });
    return fed.all;
  };

  /** Where results are written, kept as long as the shape is: new memory for every step costs its collection too. */
  const resultsOf = ({ model }: Program): Record<string, TensorData> => {
    const before = kept.get(model);
    if (before !== undefined) return before;
    const arrays = Object.fromEntries(
      Object.entries(model.outputs).map(([name, { shape, dtype }]) => {
        return [name, new (dtype === "float16" ? Uint16Array : Float32Array)(elementCount(shape))];
      }),
    );
    kept.set(model, arrays);
    return arrays;
  };

  const together = (): number => bucket(rows.length, 1, maxRows);

  /** A step with guesses is as wide as the largest draft needs. */
  const shapeOf = (): DecodeShape => {
    const states = options.states?.() === true ? { states: true } : {};
    const nodes = widest === 0 ? 0 : Math.max(...rows.map(({ draft }) => draft.tokens.length));
    const { slots } = arena;
    if (nodes === 0) {
      // Many tokens a row: what empty ones cost is worth more programs.
      const some = (width === 1 ? bucket : fineBucket)(rows.length, least.rows, maxRows);
      return { rows: some, width, slots, ...states, ...tall };
    }
    const narrowest = options.narrowest?.() ?? 2;
    // A row alone needs no empty one beside it here: only a single token takes another path of the runtime.
    return { rows: together(), width: bucket(1 + nodes, narrowest, widest), slots, tree: true, ...states };
  };

  return {
    rows,
    width,
    get pass() {
      return pass;
    },
    get company() {
      return { rows: together(), slots: arena.slots };
    },
    join: (joining) => {
      fit(rows.length + joining.length, furthest(joining));
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
      fedBefore.clear();
    },
    step: async () => {
      fit(rows.length, furthest(rows));
      const shape = shapeOf();
      const { tree = false, width: wide, states = false } = shape;
      const begun = performance.now();
      const program = await options.program(shape);
      const made = performance.now();
      // From where they were written: the runtime may show halves as numbers of its own.
      const results = resultsOf(program);
      await program.run(feeds(shape), results);
      for (let layer = 0; layer < config.layers; layer += 1) {
        const keys = results[`newKeys.${layer}`] as CacheNumbers;
        const values = results[`newValues.${layer}`] as CacheNumbers;
        rows.forEach((row, at) => {
          writeRow(config, arena, at, row.cached, { layer, keys, values, width: wide, count: taken(row) });
        });
      }
      const took = { milliseconds: performance.now() - made, making: made - begun };
      pass = { rows: together(), slots: shape.slots, width: wide, ...took };
      for (const row of rows) row.cached += own(row);
      guesses = rows.map(({ cached }) => cached);
      const part = (name: string, place: number, size = config.vocabularySize): Float32Array =>
        (results[name] as Float32Array).subarray(place * size, (place + 1) * size);
      return (row, node = -1) => {
        const place = tree ? row * wide + 1 + node : row;
        const state = states ? { state: part("states", place, config.hiddenSize) } : {};
        return { logprobs: part("logprobs", place), probabilities: part("probabilities", place), ...state };
      };
    },
    keep: (row, node) => {
      const kept = rows[row] as Row;
      const from = (guesses[row] as number) + node;
      if (from !== kept.cached) moveSlot(config, arena, row, from, kept.cached);
      kept.cached += 1;
    },
  };
}

/** What a step is fed with. It is kept as long as the shape and the arena are: the runtime knows the same arrays again. */
interface Fed {
  readonly arena: Arena;
  readonly mask: Mask;
  readonly ids: BigInt64Array;
  readonly last: BigInt64Array;
  readonly positions: BigInt64Array;
  readonly sharpness: Float32Array;
  /** Who sees whom among the new tokens, where they are a tree. */
  readonly among: Float32Array;
  /** All of it by its name, with the weights, the tables, and the part of the cache and of the mask that the rows take. */
  readonly all: Readonly<Record<string, TensorData>>;
}

function createFed(
  { keyValueHeads, headSize }: ModelConfig,
  arena: Arena,
  mask: Mask,
  { rows, width, tree = false }: DecodeShape,
  same: Readonly<Record<string, Float32Array>>,
): Fed {
  const { slots } = arena;
  const size = rows * keyValueHeads * headSize * slots;
  const views: Record<string, CacheNumbers> = { past: mask.values.subarray(0, rows * slots) };
  arena.keys.forEach((keys, layer) => (views[`keys.${layer}`] = keys.subarray(0, size)));
  arena.values.forEach((values, layer) => (views[`values.${layer}`] = values.subarray(0, size)));
  const own = {
    ids: new BigInt64Array(rows * width),
    last: new BigInt64Array(rows),
    positions: new BigInt64Array(rows * width),
    sharpness: new Float32Array(rows),
    among: new Float32Array(tree ? rows * width * width : 0).fill(HIDDEN),
  };
  return { arena, mask, ...own, all: { ...same, ...views, ...own } };
}
