/** The place in the address bar, as state. */
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { readPlace, writePlace, type Place, type Query } from "./place.ts";

export const PlaceContext = createContext<Place>({ segments: [], query: {} });

export function usePlace(): Place {
  return useContext(PlaceContext);
}

/** For the frame only: every other part reads the context. */
export function useAddress(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return readPlace(hash);
}

export function go(segments: readonly string[], query: Query = {}): void {
  location.hash = writePlace(segments, query);
}

/** Changes settings of the view in place: "back" leads to the page before, not to the setting before. */
export function refine(place: Place, change: Query): void {
  const address = new URL(location.href);
  address.hash = writePlace(place.segments, { ...place.query, ...change });
  history.replaceState(history.state, "", address);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
