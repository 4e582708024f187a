/** Places of a game in the order they are listed: a walk from the start; only forks move to the right. */
import type { PlayPlace } from "../../../../src/serve/api.ts";

export interface ListedPlace {
  readonly place: PlayPlace;
  readonly indent: number;
}

export function drawOrder(places: readonly PlayPlace[]): ListedPlace[] {
  const children = new Map<number | null, PlayPlace[]>();
  for (const place of places) children.set(place.parent, [...(children.get(place.parent) ?? []), place]);
  const listed: ListedPlace[] = [];
  const waiting = (children.get(null) ?? []).map((place) => ({ place, indent: 0 }));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    listed.push(next);
    const ways = children.get(next.place.id) ?? [];
    const indent = next.indent + (ways.length > 1 ? 1 : 0);
    waiting.unshift(...ways.map((place) => ({ place, indent })));
  }
  return listed;
}
