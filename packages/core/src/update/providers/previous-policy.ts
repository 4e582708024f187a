/** The same words under the policy that finished the task before: what RaPO keeps near. */
import { defineProvider, rowStatistic, withLogprobs, withRows } from "./provider.ts";

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
    const scored = await rowStatistic(batch, episodes, update, "logprob", update.start);
    const provided = withRows(batch, (row, at) => {
      const previousTask = scored[at];
      return previousTask === undefined ? row : withLogprobs(row, { previousTask });
    });
    return { batch: provided };
  },
});
