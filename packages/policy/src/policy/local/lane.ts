/**
 * A lane decodes conversations that take equally many tokens at a time. Its rows are the first rows of an arena; when some
 * leave, the last take their places, so that the rows of a step lie together.
 *
 * Two rules keep a row's numbers independent of its batch: a step never runs fewer rows than `leastRows` says, and rows
 * of different widths never share a step.
 */
import type { Program } from "../../graph/program.ts";
import { type TensorData, elementCount } from "../../graph/tensor.ts";
import {
  createArena,
  loadRow,
  moveRow,
  moveSlot,
  saveRow,
  writeRow,
  type Arena,
  type ArenaPool,
  type CacheNumbers,
  type KeyValueStore,
} from "./key-value.ts";
import { bucket, fineBucket, type Least } from "./least-rows.ts";
import type { Batch, Pass } from "./draft/pace.ts";
import { depthsOf, writeSight, type DraftTree } from "./draft/tree.ts";
import type { Prediction } from "./response.ts";
import type { DecodeShape } from "./decode-graph.ts";
import type { ModelConfig } from "./model-config.ts";
import { HIDDEN, VISIBLE } from "./transformer.ts";
import { COLDEST } from "../policy.ts";

/** A sequence, as far as a lane needs it. */
export interface LaneRow {
  readonly store: KeyValueStore;
  /** Tokens read and drawn. */
  tokens: Int32Array;
  count: number;
  /** How many of them are in the cache: in the store, or in the lane's arena while it runs. */
  cached: number;
  /** What its next token is drawn with. */
  readonly temperature: number;
  /** Draft tokens after the last one; read where the lane takes drafts. */
  readonly draft: DraftTree;
}

export interface LaneOptions {
  readonly config: ModelConfig;
  readonly width: number;
  readonly maxRows: number;
  /** A step of fewer is filled up with empty rows; products that need more tokens yet see to it themselves. */
  readonly least: Least;
  /** Most tokens of a row in a pass with drafts; for a lane of one token at a time. Default: no drafts. */
  readonly widest?: number | undefined;
  /** Fewest tokens of a row in such a pass: a chosen width wants the program of that width. Default: 2. */
  readonly narrowest?: (() => number) | undefined;
  /** Whether predictions come with the hidden states behind them; asked at every step. Default: no. */
  readonly states?: (() => boolean) | undefined;
  readonly weights: Readonly<Record<string, Float32Array>>;
  /** The rotary tables for so many positions; the same arrays each time. */
  readonly tables: (positions: number) => Readonly<Record<string, Float32Array>>;
  readonly pool: ArenaPool;
  readonly program: (shape: DecodeShape) => Promise<Program>;
}

const LEAST_SLOTS = 64;

export class Lane<Row extends LaneRow> {
  readonly rows: Row[] = [];
  readonly width: number;
  /** The last step. */
  pass: Pass;
  readonly #options: LaneOptions;
  readonly #nothing: Arena;
  #arena: Arena;
  #mask = createMask(0, LEAST_SLOTS);
  readonly #results = new WeakMap<Program["model"], Record<string, TensorData>>();
  readonly #feeds = new Map<string, Feeds>();
  /** The cache slot of each row's first draft token. */
  #guesses: readonly number[] = [];

  constructor(options: LaneOptions) {
    this.#options = options;
    this.width = options.width;
    this.pass = { rows: 0, slots: 0, width: options.width, milliseconds: 0, making: 0 };
    this.#nothing = createArena(options.config, 0, LEAST_SLOTS);
    this.#arena = this.#nothing;
  }

  /** As the next step would be. */
  get batch(): Batch {
    return { rows: bucket(this.rows.length, 1, this.#options.maxRows), slots: this.#arena.slots };
  }

  join(joining: readonly Row[]): void {
    this.#fit(this.rows.length + joining.length, joining);
    for (const row of joining) {
      loadRow(this.#options.config, this.#arena, this.rows.length, row.store);
      this.rows.push(row);
    }
  }

  /** Copies what the rows have gained back into their stores. */
  leave(leaving: readonly Row[]): void {
    const { rows } = this;
    const { config, pool } = this.#options;
    const arena = this.#arena;
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
    if (left > 0 || arena === this.#nothing) return;
    pool.give(arena);
    this.#arena = this.#nothing;
    this.#feeds.clear();
  }

  /** Takes the next tokens of every row; the prediction of a row is the one after its last taken token, or after a node of its draft. */
  async step(): Promise<(row: number, node?: number) => Prediction> {
    const { rows } = this;
    const { config } = this.#options;
    this.#fit(rows.length, rows);
    const shape = this.#shape();
    const { tree = false, width, states = false } = shape;
    const begun = performance.now();
    const program = await this.#options.program(shape);
    const made = performance.now();
    // From its own arrays: the runtime may convert halves.
    const results = this.#resultsOf(program);
    await program.run(this.#feed(shape), results);
    for (let layer = 0; layer < config.layers; layer += 1) {
      const keys = results[`newKeys.${layer}`] as CacheNumbers;
      const values = results[`newValues.${layer}`] as CacheNumbers;
      rows.forEach((row, at) => {
        writeRow(config, this.#arena, at, row.cached, { layer, keys, values, width, count: this.#takenBy(row) });
      });
    }
    const took = { milliseconds: performance.now() - made, making: made - begun };
    this.pass = { rows: this.batch.rows, slots: shape.slots, width, ...took };
    for (const row of rows) row.cached += this.#ownOf(row);
    this.#guesses = rows.map(({ cached }) => cached);
    const part = (name: string, place: number, size = config.vocabularySize): Float32Array =>
      (results[name] as Float32Array).subarray(place * size, (place + 1) * size);
    return (row, node = -1) => {
      const place = tree ? row * width + 1 + node : row;
      const state = states ? { state: part("states", place, config.hiddenSize) } : {};
      return { logprobs: part("logprobs", place), probabilities: part("probabilities", place), ...state };
    };
  }

  /** Accepts a node of the row's draft: its cache slot is kept. */
  keep(row: number, node: number): void {
    const kept = this.rows[row] as Row;
    const from = (this.#guesses[row] as number) + node;
    if (from !== kept.cached) moveSlot(this.#options.config, this.#arena, row, from, kept.cached);
    kept.cached += 1;
  }

  /** Tokens of its own that a row takes in this step, and with its draft. */
  #ownOf(row: Row): number {
    return Math.min(this.width, row.count - row.cached);
  }

  #takenBy(row: Row): number {
    return this.#ownOf(row) + (this.#options.widest === undefined ? 0 : row.draft.tokens.length);
  }

  /** Room for `wanted` rows, and for the next step of some; what is there moves along. */
  #fit(wanted: number, some: readonly Row[]): void {
    const { config, least, maxRows, pool } = this.#options;
    const furthest = some.reduce((most, row) => Math.max(most, row.cached + this.#takenBy(row)), 1);
    const slots = fineBucket(furthest, LEAST_SLOTS, Math.max(LEAST_SLOTS, config.contextLength));
    const needed = bucket(wanted, least.rows, maxRows);
    const arena = this.#arena;
    if (slots <= arena.slots && needed <= arena.rows) return;
    const grown = pool.take(Math.max(needed, arena.rows), Math.max(slots, arena.slots));
    this.rows.forEach((row, at) => moveRow(config, { arena, row: at }, { arena: grown, row: at }, row.cached));
    if (arena !== this.#nothing) pool.give(arena);
    this.#arena = grown;
  }

  /** A step with drafts is as wide as the largest draft needs. */
  #shape(): DecodeShape {
    const { rows, width } = this;
    const { least, maxRows, widest, narrowest, states: wanted } = this.#options;
    const states = wanted?.() === true ? { states: true } : {};
    const nodes = widest === undefined ? 0 : Math.max(...rows.map(({ draft }) => draft.tokens.length));
    const { slots } = this.#arena;
    if (widest === undefined || nodes === 0) {
      // Many tokens a row: what empty ones cost is worth more programs.
      const some = (width === 1 ? bucket : fineBucket)(rows.length, least.rows, maxRows);
      return { rows: some, width, slots, ...states, ...(least.tall.length === 0 ? {} : { tall: least.tall }) };
    }
    // A row alone needs no empty one beside it here: only a single token takes another path of the runtime.
    return {
      rows: this.batch.rows,
      width: bucket(1 + nodes, narrowest?.() ?? 2, widest),
      slots,
      tree: true,
      ...states,
    };
  }

  /** What a step of that shape is fed with, filled from the rows. */
  #feed(shape: DecodeShape): Readonly<Record<string, TensorData>> {
    const { width: wide } = shape;
    const feeds = this.#feedsFor(shape);
    const { ids, last, positions, sharpness, among } = feeds;
    ids.fill(0n);
    last.fill(0n);
    positions.fill(0n);
    sharpness.fill(1);
    this.rows.forEach((row, at) => {
      const count = this.#ownOf(row);
      for (let index = 0; index < this.width; index += 1) {
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
      show(this.#mask, at, row.cached);
    });
    return feeds.all;
  }

  /** Kept as long as the shape, the arena and the mask are: the runtime knows the same arrays again. */
  #feedsFor(shape: DecodeShape): Feeds {
    const { config, weights, tables } = this.#options;
    if (this.#mask.slots !== shape.slots || this.#mask.seen.length < shape.rows)
      this.#mask = createMask(shape.rows, shape.slots);
    const [before] = this.#feeds.values();
    if (before?.arena !== this.#arena || before.mask !== this.#mask) this.#feeds.clear();
    const key = `${shape.rows} ${shape.width}`;
    const known = this.#feeds.get(key);
    if (known !== undefined) return known;
    const made = createFeeds(config, this.#arena, this.#mask, shape, { ...weights, ...tables(shape.slots) });
    this.#feeds.set(key, made);
    return made;
  }

  /** Where results are written, kept as long as the shape is: new memory for every step costs its collection too. */
  #resultsOf({ model }: Program): Record<string, TensorData> {
    const before = this.#results.get(model);
    if (before !== undefined) return before;
    const arrays = Object.fromEntries(
      Object.entries(model.outputs).map(([name, { shape, dtype }]) => {
        return [name, new (dtype === "float16" ? Uint16Array : Float32Array)(elementCount(shape))];
      }),
    );
    this.#results.set(model, arrays);
    return arrays;
  }
}

/** What a step is fed with. */
interface Feeds {
  readonly arena: Arena;
  readonly mask: Mask;
  readonly ids: BigInt64Array;
  readonly last: BigInt64Array;
  readonly positions: BigInt64Array;
  readonly sharpness: Float32Array;
  /** Which new tokens see each other, where they are a tree. */
  readonly among: Float32Array;
  /** All of it by its name, with the weights, the tables, and the part of the cache and of the mask that the rows take. */
  readonly all: Readonly<Record<string, TensorData>>;
}

function createFeeds(
  { keyValueHeads, headSize }: ModelConfig,
  arena: Arena,
  mask: Mask,
  { rows, width, tree = false }: DecodeShape,
  same: Readonly<Record<string, Float32Array>>,
): Feeds {
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

// The mask of a lane: what its rows have read and may look at.

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
