/**
 * What the name of a world stands for. Its size and form are named and stored with everything that is run in it, so that a
 * later default changes no stored run. Until November 2026 runs left them out.
 */
import type { World, WorldOptions } from "./world.ts";

/** What was meant then by leaving them out. */
const FORMER: Readonly<Record<string, WorldOptions>> = {
  household: { dial: "small" },
  shop: { preset: "webshop" },
  research: { hops: [1, 2, 3, 4], topk: 3 },
  tools: { opening: "full" },
  countdown: { level: "medium" },
  archive: { size: "small" },
  draft: { level: "medium" },
  emit: { level: "medium" },
  ledger: { level: "medium" },
  talk: { level: "medium" },
};

const formerOf = (id: string): WorldOptions => (Object.hasOwn(FORMER, id) ? (FORMER[id] as WorldOptions) : {});

/** Options with those that the name alone decides: `household` is `{ dial: "tiny" }`. */
export function namedOptions(id: string, world: World, given: WorldOptions = {}): WorldOptions {
  const own = Object.keys(formerOf(id)).map((name) => [name, structuredClone(world.options[name]?.default ?? null)]);
  return { ...(Object.fromEntries(own) as WorldOptions), ...given };
}

/** Options of a stored run, as they were meant when it was stored. */
export function formerOptions(id: string, stored: WorldOptions): WorldOptions {
  return { ...formerOf(id), ...stored };
}
