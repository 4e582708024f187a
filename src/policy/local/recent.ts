/**
 * The last positions of rows that say one token at a time, as they come: [rows, heads, RECENT, headSize] per layer. A new
 * token has a number for every line of the arena, each in another part of memory; from here they go there sixteen at a
 * time, which is one fetch for each line instead of sixteen. Which positions lie here follows from a row's own count.
 */
import type { TensorData } from "../../graph/index.ts";
import { RECENT } from "./decode-graph.ts";
import type { Arena } from "./key-value.ts";
import type { ModelConfig } from "./model-config.ts";
import { HIDDEN, VISIBLE } from "./transformer.ts";

export interface Recent {
  /** Where a row's recent positions begin. */
  start(cached: number): number;
  /** Copies a row's recent positions out of the arena. */
  fetch(arena: Arena, row: number, cached: number): void;
  /** Copies them into it. */
  flush(arena: Arena, row: number, cached: number): void;
  /** Adds a position from a step's results, in which the row was the one of that number; full ones go to the arena. */
  add(arena: Arena, row: number, cached: number, results: Readonly<Record<string, TensorData>>, at: number): void;
  /** Inputs of the decoding graph for some rows; `cachedOf` is undefined where nobody sits. */
  feeds(first: number, count: number, cachedOf: (row: number) => number | undefined): Record<string, TensorData>;
  clear(): void;
}

export function createRecent({ layers, keyValueHeads, headSize }: ModelConfig): Recent {
  const size = keyValueHeads * RECENT * headSize;
  let rows = 0;
  let keys: Float32Array[] = [];
  let values: Float32Array[] = [];
  const start = (cached: number): number => cached - (cached % RECENT);

  const grow = (wanted: number): void => {
    if (wanted <= rows) return;
    const grown = (old: readonly Float32Array[]): Float32Array[] =>
      Array.from({ length: layers }, (_, layer) => {
        const larger = new Float32Array(wanted * size);
        if (old[layer] !== undefined) larger.set(old[layer]);
        return larger;
      });
    [keys, values, rows] = [grown(keys), grown(values), wanted];
  };

  /** Between one layer's recent positions and the arena's lines, in either direction. */
  const exchange = (
    lines: Float32Array,
    slots: number,
    row: number,
    base: number,
    count: number,
    own: Float32Array,
    out: boolean,
  ): void => {
    for (let head = 0; head < keyValueHeads; head += 1) {
      const block = (row * keyValueHeads + head) * RECENT * headSize;
      for (let number = 0; number < headSize; number += 1) {
        const line = ((row * keyValueHeads + head) * headSize + number) * slots + base;
        for (let at = 0; at < count; at += 1) {
          const place = block + at * headSize + number;
          if (out) lines[line + at] = own[place] as number;
          else own[place] = lines[line + at] as number;
        }
      }
    }
  };
  const all = (arena: Arena, row: number, base: number, count: number, out: boolean): void => {
    for (let layer = 0; layer < layers; layer += 1) {
      const [ownKeys, ownValues] = [keys[layer] as Float32Array, values[layer] as Float32Array];
      exchange(arena.keys[layer] as Float32Array, arena.slots, row, base, count, ownKeys, out);
      exchange(arena.values[layer] as Float32Array, arena.slots, row, base, count, ownValues, out);
    }
  };

  return {
    start,
    fetch: (arena, row, cached) => {
      grow(arena.rows);
      all(arena, row, start(cached), cached % RECENT, false);
    },
    flush: (arena, row, cached) => all(arena, row, start(cached), cached % RECENT, true),
    add: (arena, row, cached, results, at) => {
      for (let layer = 0; layer < layers; layer += 1) {
        for (const [name, own] of [
          [`newKeys.${layer}`, keys[layer]],
          [`newValues.${layer}`, values[layer]],
        ] as const) {
          const fresh = results[name] as Float32Array;
          for (let head = 0; head < keyValueHeads; head += 1) {
            const source = (at * keyValueHeads + head) * headSize;
            const place = ((row * keyValueHeads + head) * RECENT + (cached % RECENT)) * headSize;
            for (let number = 0; number < headSize; number += 1) {
              (own as Float32Array)[place + number] = fresh[source + number] as number;
            }
          }
        }
      }
      if ((cached + 1) % RECENT === 0) all(arena, row, start(cached), RECENT, true);
    },
    feeds: (first, count, cachedOf) => {
      grow(first + count);
      const recent = new Float32Array(count * (RECENT + 1)).fill(HIDDEN);
      for (let at = 0; at < count; at += 1) {
        const cached = cachedOf(first + at) ?? 0;
        const place = at * (RECENT + 1);
        recent.fill(VISIBLE, place, place + (cached % RECENT));
        recent[place + RECENT] = VISIBLE;
      }
      const inputs: Record<string, TensorData> = { recent };
      for (let layer = 0; layer < layers; layer += 1) {
        inputs[`recentKeys.${layer}`] = (keys[layer] as Float32Array).subarray(first * size, (first + count) * size);
        inputs[`recentValues.${layer}`] = (values[layer] as Float32Array).subarray(
          first * size,
          (first + count) * size,
        );
      }
      return inputs;
    },
    clear: () => {
      [keys, values, rows] = [[], [], 0];
    },
  };
}
