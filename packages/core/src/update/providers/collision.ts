/** How concentrated the policy was at each token: the logarithm of the sum of squared probabilities. */
import { placesOf, type RowSpan } from "./contexts.ts";
import type { UpdateContext } from "../context.ts";
import { defineProvider, statisticsOf, withLogprobs, withRows } from "./provider.ts";

/** Numbers of one call at most, so that a large vocabulary does not fill the memory. */
const MOST_NUMBERS = 8_000_000;

export const collision = defineProvider({
  info: {
    title: "Collision probability",
    meaning: "Scores the whole distribution at every sampled token and adds up the squares.",
    cost: "every answer is scored once more, with the whole vocabulary as candidates",
    departures: [],
  },
  supplies: ["collision"],
  options: {},
  provide: async (batch, episodes, update) => {
    const places = placesOf(batch, episodes);
    const found = new Map<number, Float64Array>();
    const wanted = places.flatMap((place, at) => (place === undefined ? [] : [{ place, at }]));
    const longest = Math.max(1, ...wanted.map(({ place }) => place.end));
    const atOnce = Math.max(1, Math.floor(MOST_NUMBERS / (longest * update.model.config.vocabularySize)));
    for (let from = 0; from < wanted.length; from += atOnce) {
      const part = wanted.slice(from, from + atOnce);
      const sums = await collisionsOf(
        part.map(({ place }) => place),
        update,
      );
      part.forEach(({ at }, number) => found.set(at, sums[number] as Float64Array));
    }
    const provided = withRows(batch, (row, at) => {
      const own = found.get(at);
      return own === undefined ? row : withLogprobs(row, { collision: own });
    });
    return { batch: provided };
  },
});

async function collisionsOf(places: readonly RowSpan[], update: UpdateContext): Promise<Float64Array[]> {
  const count = update.model.config.vocabularySize;
  const longest = Math.max(0, ...places.map(({ end }) => end));
  // Every token asks for the same ids, so one array serves all rows.
  const every = Int32Array.from({ length: longest * count }, (_, at) => at % count);
  const rows = places.map(({ stream, start, end }) => ({
    ids: stream.ids.slice(0, end),
    mask: new Uint8Array(end).fill(1, start),
    candidates: { count, ids: every.subarray(0, end * count) },
  }));
  const scored = await statisticsOf(update, rows, ["candidates"]);
  return places.map(({ start, end }, at) => {
    const logprobs = scored[at]?.candidates ?? new Float32Array(end * count);
    return Float64Array.from({ length: end - start }, (_, token) => {
      let sum = 0;
      const first = (start + token) * count;
      for (let id = 0; id < count; id += 1) sum += Math.exp(2 * (logprobs[first + id] as number));
      return Math.log(sum);
    });
  });
}
