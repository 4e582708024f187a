/**
 * Two-level attention at work in the decoding of a quantised model: a graph makes queries, keys and values of the new tokens, and the keys
 * of the cache are looked at here. Summaries of blocks are kept from step to step.
 */
import { EngineError } from "../../../base/errors.ts";
import { input, ops, type Program, type Tensor, type TensorData } from "../../../graph/index.ts";
import { decodeReading, type DecodeShape } from "../decode-graph.ts";
import type { Reading } from "../layers.ts";
import type { ModelConfig } from "../model-config.ts";
import type { AttentionCounts } from "../sampler-options.ts";
import { HIDDEN } from "../transformer.ts";
import { checkAttentionKind, type AttentionKind } from "./kinds.ts";
import { attendTwoLevel, BLOCK, createBlocks, summarise, type Blocks, type Limits } from "./two-level.ts";

export interface SparseOptions extends Limits {
  /** Contexts shorter than this are scored whole, and not counted. */
  readonly from: number;
  /** Is shown every result, for whoever wants to compare. */
  readonly watch?: (seen: Watched) => void;
}

/** One head of one layer of one row. */
export interface Watched {
  readonly query: Float32Array;
  readonly keys: Float32Array;
  readonly values: Float32Array;
  readonly own: { readonly key: Float32Array; readonly value: Float32Array };
  readonly count: number;
  readonly scored: number;
  readonly result: Float32Array;
}

const SPARSE: SparseOptions = { tolerance: 1e-3, most: 0.25, from: 256 };

interface Held {
  readonly blocks: Blocks;
  readonly slots: number;
  /** The first number of every key that is in a summary: other numbers are other keys. */
  readonly marks: Float32Array;
  known: number;
  chosen: ReadonlySet<number>;
}

export interface SparseAttention {
  readonly counts: AttentionCounts;
  /** The reading of a step of one token, of which the graph only makes the query. */
  reading(shape: DecodeShape, fresh: Record<string, Tensor>): Reading;
  /** The program of that graph with attention after it; `like` is the layer that it was made for. */
  around(program: Program, shape: DecodeShape, like: number, layer: number): Program;
}

export function createSparseAttention(config: ModelConfig, options: SparseOptions = SPARSE): SparseAttention {
  const { heads, keyValueHeads, headSize: size } = config;
  const counts: AttentionCounts = { keys: 0, scored: 0, added: 0, blocks: 0, again: 0 };
  const held = new Map<string, Held>();

  /** Summaries of a head's keys, made where they are missing or were of others. */
  const summaries = (
    name: string,
    keys: Float32Array,
    values: Float32Array,
    start: number,
    count: number,
    slots: number,
  ): Held => {
    const full = Math.floor(count / BLOCK);
    let own = held.get(name);
    if (own === undefined || own.slots < slots) {
      const room = Math.ceil(slots / BLOCK);
      own = {
        blocks: createBlocks(room, size),
        slots,
        marks: new Float32Array(room * BLOCK),
        known: 0,
        chosen: new Set(),
      };
      held.set(name, own);
    }
    let same = 0;
    while (same < Math.min(own.known, full) * BLOCK && own.marks[same] === keys[start + same * size]) same += 1;
    const from = Math.floor(same / BLOCK);
    summarise({ keys, values, start, count, size }, own.blocks, from, full);
    for (let at = from * BLOCK; at < full * BLOCK; at += 1) own.marks[at] = keys[start + at * size] as number;
    own.known = full;
    return own;
  };

  return {
    counts,
    reading: (shape, fresh) => ({
      ...decodeReading(config, shape, fresh),
      attend: (layer, { query, key, value }) => {
        fresh[`newKeys.${layer}`] = ops.transpose(key, [0, 2, 1, 3]);
        fresh[`newValues.${layer}`] = ops.transpose(value, [0, 2, 1, 3]);
        return ops.reshape(query, [shape.rows * shape.width, heads * size]);
      },
    }),
    around: (program, { rows, slots }, like, layer) => {
      const cache = [rows, keyValueHeads, slots, size];
      const inputs = {
        ...program.model.inputs,
        [`keys.${like}`]: input(`keys.${like}`, "float32", cache),
        [`values.${like}`]: input(`values.${like}`, "float32", cache),
      } as Program["model"]["inputs"];
      const attend = (feeds: Readonly<Record<string, TensorData>>, made: Record<string, TensorData>): Float32Array => {
        const queries = made["mixed"] as Float32Array;
        const [keys, values] = [feeds[`keys.${like}`] as Float32Array, feeds[`values.${like}`] as Float32Array];
        const [newKeys, newValues] = [
          made[`newKeys.${like}`] as Float32Array,
          made[`newValues.${like}`] as Float32Array,
        ];
        const past = feeds["past"] as Float32Array;
        const mixed = new Float32Array(rows * heads * size);
        const shared = heads / keyValueHeads;
        for (let row = 0; row < rows; row += 1) {
          const count = usedSlots(past, row * slots, slots);
          for (let head = 0; head < heads; head += 1) {
            const group = row * keyValueHeads + Math.floor(head / shared);
            const start = group * slots * size;
            const part = (of: Float32Array): Float32Array => of.subarray(group * size, (group + 1) * size);
            const place = (row * heads + head) * size;
            const query = queries.subarray(place, place + size);
            const own = { key: part(newKeys), value: part(newValues) };
            const result = mixed.subarray(place, place + size);
            const limits = count < options.from ? WHOLE : options;
            const known = summaries(`${layer} ${group}`, keys, values, start, count, slots);
            const done = attendTwoLevel(query, own, { keys, values, start, count, size }, known.blocks, limits, result);
            if (count < options.from) continue;
            counts.keys += count + 1;
            counts.scored += done.scored;
            counts.added += done.added;
            counts.blocks += done.chosen.length;
            counts.again += done.chosen.filter((block) => known.chosen.has(block)).length;
            known.chosen = new Set(done.chosen);
            const seen = (of: Float32Array): Float32Array => of.subarray(start, start + count * size);
            options.watch?.({ query, keys: seen(keys), values: seen(values), own, count, scored: done.scored, result });
          }
        }
        return mixed;
      };
      return {
        ...program,
        model: { ...program.model, inputs },
        run: async (feeds, into = {}) => {
          const made = await program.run(feeds, into);
          return { ...made, mixed: attend(feeds, made) };
        },
      };
    },
  };
}

const WHOLE: Limits = { tolerance: 0, most: 1 };

/** Slots in use lie together, from the first on. */
function usedSlots(past: Float32Array, from: number, slots: number): number {
  let count = 0;
  while (count < slots && past[from + count] !== HIDDEN) count += 1;
  return count;
}

/** What an asked kind of attention means for a model with quantised weights; undefined: every key is scored. */
export function sparseFor(
  asked: AttentionKind | SparseOptions | undefined,
  { window, halfCache }: ModelConfig,
): SparseOptions | undefined {
  if (typeof asked !== "object") checkAttentionKind(asked);
  if (asked === undefined || asked === "full") return undefined;
  if (window === undefined && halfCache !== true) return typeof asked === "object" ? asked : SPARSE;
  throw new EngineError(
    "needs-unmet",
    "attention two-level is for models whose layers all see the whole context, with a cache in float32. Leave it out, or leave --cache out.",
  );
}
