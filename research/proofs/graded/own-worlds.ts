/** Worlds that were made for studies of graded rewards, opened. */
import type { Demonstrator, World } from "limbeck/env";
import type { Env } from "limbeck";
import type { WorldOptions } from "../../../packages/core/src/env/world.ts";
import cardsWorld from "../../new-worlds/cards.ts";
import retouchWorld from "../../new-worlds/retouch.ts";
import tracksWorld from "../../new-worlds/tracks.ts";

interface Opened {
  readonly env: Env;
  readonly demonstrator: (name: string) => Demonstrator;
}

export const cards = await opened(cardsWorld);
export const retouch = await opened(retouchWorld, { reply: "calls" });
export const retouchObject = await opened(retouchWorld, { reply: "object" });
export const tracks = await opened(tracksWorld);

async function opened(
  { create, demonstrators = {} }: Pick<World, "create" | "demonstrators">,
  options: WorldOptions = {},
): Promise<Opened> {
  return { env: await create(options), demonstrator: (name) => demonstrators[name] as Demonstrator };
}
