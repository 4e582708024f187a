/** How unsure the policy was at each token: the entropy of the distribution that it was drawn from. */
import { defineProvider, rowStatistic, withLogprobs, withRows } from "./provider.ts";

export const entropy = defineProvider({
  info: {
    title: "Entropy",
    meaning: "Scores the entropy of the policy at every sampled token.",
    cost: "every episode is scored once more",
    departures: [],
  },
  supplies: ["entropy"],
  options: {},
  provide: async (batch, episodes, update) => {
    const scored = await rowStatistic(batch, episodes, update, "entropy");
    const provided = withRows(batch, (row, at) => {
      const own = scored[at];
      return own === undefined ? row : withLogprobs(row, { entropy: own });
    });
    return { batch: provided };
  },
});
