/** How many correct steps an episode was given before the policy went on: the groups of Step-GRPO. */
import { defineProvider, withRows, withSignals } from "./provider.ts";

export const guidedStarts = defineProvider({
  info: {
    title: "Guided starts",
    meaning: "Reads from each episode how many steps of a demonstration it began with, as the strategy has noted it.",
    cost: "nothing; the strategy `guided` asks a demonstrator",
    departures: [
      "The given steps are taken in the world, not told in the prompt: the policy reads them as its own past.",
    ],
  },
  supplies: ["guidedSteps"],
  options: {},
  provide: async (batch, episodes) => {
    const given = new Map(
      episodes.map(({ id, info }) => [id, typeof info?.["guidedSteps"] === "number" ? info["guidedSteps"] : 0]),
    );
    return { batch: withRows(batch, (row) => withSignals(row, { guidedSteps: given.get(row.trajectory) ?? 0 })) };
  },
});
