/**
 * Arenas that no lane uses at the moment. Rows wander between lanes, so what one lane gives back is what the next one
 * needs; new memory would have to be zeroed and mapped first, which takes as long as several steps.
 */
import { createArena, type Arena } from "./key-value.ts";
import type { ModelConfig } from "./model-config.ts";

export interface ArenaPool {
  /** At least that many rows of exactly that many positions. What lies in it is left over from others. */
  take(rows: number, slots: number): Arena;
  give(arena: Arena): void;
  /** Forgets all: after a failure, numbers that are not finite may lie in them. */
  clear(): void;
}

/** Kept for the next who come; 64 rows of 1,024 positions of a small model are 256 MiB. */
const MOST_KEPT_BYTES = 320 * 2 ** 20;

export function createArenaPool(config: ModelConfig): ArenaPool {
  const free: Arena[] = [];
  return {
    take: (rows, slots) => {
      // The one given back last: whoever comes next has most likely just left it, and finds what it held.
      const at = free.findLastIndex((arena) => arena.slots === slots && arena.rows >= rows);
      return (at < 0 ? undefined : free.splice(at, 1)[0]) ?? createArena(config, rows, slots);
    },
    give: (arena) => {
      free.push(arena);
      let bytes = free.reduce((total, one) => total + arenaBytes(one), 0);
      while (bytes > MOST_KEPT_BYTES) bytes -= arenaBytes(free.shift() as Arena);
    },
    clear: () => void free.splice(0),
  };
}

function arenaBytes({ keys, values }: Arena): number {
  return [...keys, ...values].reduce((total, { byteLength }) => total + byteLength, 0);
}
