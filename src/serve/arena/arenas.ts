/** Where the server finds results of arenas. */
import type { ArenaDetail, ArenaItem } from "../api/arena.ts";

export interface Arenas {
  list(): Promise<ArenaItem[]>;
  read(id: string): Promise<ArenaDetail>;
}
