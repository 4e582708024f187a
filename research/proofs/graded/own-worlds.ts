/** Worlds that were made for studies of graded rewards, opened. */
import type { Demonstrator, Env, World } from "limbeck/env";
import cardsWorld from "../../new-worlds/cards.ts";
import retouchWorld from "../../new-worlds/retouch.ts";
import tracksWorld from "../../new-worlds/tracks.ts";

interface Opened {
  readonly env: Env;
  readonly demonstrator: (name: string) => Demonstrator;
}

export const cards = await opened(cardsWorld);
export const retouch = await opened(retouchWorld);
export const tracks = await opened(tracksWorld);

async function opened({ create, demonstrators = {} }: Pick<World, "create" | "demonstrators">): Promise<Opened> {
  return { env: await create(), demonstrator: (name) => demonstrators[name] as Demonstrator };
}
