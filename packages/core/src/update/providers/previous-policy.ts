/** The same words under the policy that finished the task before: what RaPO keeps near. */
import { placesOf } from "./contexts.ts";
import { defineProvider, statisticsOf, withLogprobs, withRows } from "./provider.ts";

export const previousPolicy = defineProvider({
  info: {
    title: "Policy of the task before",
    meaning: "Scores every token under the weights that the training started from.",
    cost: "every episode is scored once more",
    departures: [
      "A run is one task of a sequence: the policy that finished the task before is the model it starts from.",
    ],
  },
  supplies: ["previousTask"],
  options: {},
  provide: async (batch, episodes, update) => {
    const places = placesOf(batch, episodes);
    const streams = [...new Set(places.flatMap((place) => (place === undefined ? [] : [place.stream])))];
    const rows = streams.map(({ ids, mask }) => ({ ids, mask }));
    const scored = await statisticsOf(update, rows, ["logprob"], update.start);
    const found = new Map(streams.map((stream, at) => [stream, scored[at]?.logprob]));
    const provided = withRows(batch, (row, at) => {
      const place = places[at];
      const own = place === undefined ? undefined : found.get(place.stream);
      if (place === undefined || own === undefined) return row;
      return withLogprobs(row, { previousTask: Float64Array.from(own.subarray(place.start, place.end)) });
    });
    return { batch: provided };
  },
});
