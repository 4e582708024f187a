/** A value head beside the policy: it foretells the return at every token, and learns it in the same update. */
import { option } from "limbeck-base/base/option";
import { placesOf } from "./contexts.ts";
import { defineProvider, statisticsOf, withRows } from "./provider.ts";

export const valueHead = defineProvider({
  info: {
    title: "Value head",
    meaning:
      "Scores every token with a linear head on the policy's last hidden state, which learns the returns beside it.",
    cost: "every episode is scored once more; the head learns in the policy's own backward pass",
    departures: [
      "The head shares the policy's body; published PPO has a second network of the same size.",
      "It begins at zero, so that the first update sees no baseline; warmUp lets it learn before the policy does. Its loss moves the shared body even then.",
    ],
  },
  supplies: ["values"],
  options: {
    weight: option.number(0.5, "weight of the value loss beside the policy loss", { least: 0 }),
    clip: option.limit(0.5, "how far an update may move an estimate", { least: 0 }),
    warmUp: option.count(
      0,
      "first updates in which the values alone are learned, and the policy loss counts nothing (VLA-RL)",
      0,
    ),
  },
  provide: async (batch, episodes, update) => {
    const places = placesOf(batch, episodes);
    const streams = [...new Set(places.flatMap((place) => (place === undefined ? [] : [place.stream])))];
    const scored = await statisticsOf(
      update,
      streams.map(({ ids, mask }) => ({ ids, mask })),
      ["value"],
    );
    const values = new Map(streams.map((stream, at) => [stream, scored[at]?.value]));
    const provided = withRows(batch, (row, at) => {
      const place = places[at];
      const own = place === undefined ? undefined : values.get(place.stream);
      if (place === undefined || own === undefined) return { ...row, values: new Float64Array(row.mask.length) };
      return { ...row, values: Float64Array.from(own.subarray(place.start, place.end)) };
    });
    return { batch: provided };
  },
});
