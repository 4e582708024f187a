/** Every place of a game as an indented list; a fork is a place with two ways on. */
import type { JSX } from "preact";
import type { PlayPlace } from "../../../../src/serve/api.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { drawOrder } from "./draw-order.ts";

export interface PlaceTreeProps {
  readonly places: readonly PlayPlace[];
  readonly current: number;
  readonly choose: (id: number) => void;
}

export function PlaceTree({ places, current, choose }: PlaceTreeProps): JSX.Element {
  const way = new Set(pathTo(places, current).map(({ id }) => id));
  return (
    <ul class="places">
      {drawOrder(places).map(({ place, indent }) => (
        <li key={place.id} style={{ paddingLeft: `${Math.min(indent, 8) * 0.9}rem` }}>
          <button
            type="button"
            class={`outline-row ${way.has(place.id) ? "way" : ""}`}
            {...(place.id === current ? { "aria-current": "step" as const } : {})}
            onClick={() => choose(place.id)}
          >
            <span class="soft">{place.depth}</span>
            <span class="clip">{place.action === null ? "start" : visibleLine(place.action, 60)}</span>
            {place.success === true && <span class="badge good">✓</span>}
            {place.ending !== null && place.success !== true && <span class="badge">end</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** From the start to a place. */
export function pathTo(places: readonly PlayPlace[], id: number): PlayPlace[] {
  const byId = new Map(places.map((place) => [place.id, place]));
  const way: PlayPlace[] = [];
  for (let at = byId.get(id); at !== undefined; at = at.parent === null ? undefined : byId.get(at.parent)) way.push(at);
  return way.reverse();
}
