import fc from "fast-check";
import { expect, test } from "vitest";
import { copyStore, createArena, createStore, loadRow, moveRow, saveRow, writeRow, type Arena } from "./key-value.ts";
import type { ModelConfig } from "./model-config.ts";

const config: ModelConfig = {
  form: "llama",
  vocabularySize: 8,
  hiddenSize: 8,
  layers: 2,
  heads: 2,
  keyValueHeads: 2,
  headSize: 4,
  intermediateSize: 8,
  contextLength: 64,
  ropeTheta: 10_000,
  normEpsilon: 1e-6,
  tiedEmbeddings: true,
};
const SLOTS = 64;

/** One position for all heads and layers, told apart by a number. */
function write(arena: Arena, row: number, position: number, value: number): void {
  const size = 2 * config.keyValueHeads * config.headSize;
  for (let layer = 0; layer < config.layers; layer += 1) {
    const keys = new Float32Array(size).fill(value + layer / 4);
    const values = new Float32Array(size).fill(-value - layer / 4);
    writeRow(config, arena, row, position, { layer, keys, values, width: 1, count: 1 });
  }
}

/** What a row holds of the first head at each of its first positions, in the last layer. */
function held(arena: Arena, row: number, length: number): number[] {
  const first = row * config.keyValueHeads * SLOTS * config.headSize;
  return Array.from({ length }, (_, at) => {
    const place = first + at * config.headSize;
    const [key, value] = [arena.keys[1]?.[place] ?? 0, arena.values[1]?.[place] ?? 0];
    return key === -value ? key - 1 / 4 : Number.NaN;
  });
}

test("a conversation that comes back to its seat, or a fork of it, is not copied again", () => {
  const arena = createArena(config, 2, SLOTS);
  const store = createStore();
  loadRow(config, arena, 0, store);
  write(arena, 0, 0, 7);
  saveRow(config, arena, 0, store, 1);
  // A trace that only copying would wipe out.
  write(arena, 0, 0, 9);
  loadRow(config, arena, 0, copyStore(store, 1));
  expect(held(arena, 0, 1)).toEqual([9]);
  // Another seat knows nothing of it.
  loadRow(config, arena, 1, store);
  expect(held(arena, 1, 1)).toEqual([7]);
});

test("whoever sat there before, a row holds what its own conversation has read", () => {
  const turn = fc.record({
    talk: fc.nat({ max: 3 }),
    row: fc.nat({ max: 1 }),
    said: fc.integer({ min: 1, max: 4 }),
    kept: fc.nat({ max: 20 }),
    kind: fc.constantFrom("say", "fork", "move"),
  });
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 30 }), (turns) => {
      const arena = createArena(config, 2, SLOTS);
      const talks = Array.from({ length: 4 }, () => ({ store: createStore(), said: [] as number[] }));
      let next = 1;
      for (const { talk, row, said, kept, kind } of turns) {
        const speaker = talks[talk] as (typeof talks)[number];
        if (kind === "fork") {
          const length = Math.min(kept, speaker.said.length);
          talks[(talk + 1) % 4] = { store: copyStore(speaker.store, length), said: speaker.said.slice(0, length) };
          continue;
        }
        loadRow(config, arena, row, speaker.store);
        expect(held(arena, row, speaker.said.length)).toEqual(speaker.said);
        for (let count = 0; count < said && speaker.said.length < SLOTS; count += 1, next += 1) {
          write(arena, row, speaker.said.length, next);
          speaker.said.push(next);
        }
        const { length } = speaker.said;
        const last = kind === "move" ? 1 - row : row;
        if (kind === "move") moveRow(config, { arena, row }, { arena, row: last }, length);
        saveRow(config, arena, last, speaker.store, length);
        expect(held(arena, last, length)).toEqual(speaker.said);
      }
    }),
  );
});
