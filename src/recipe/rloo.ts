/** RLOO: Compares each episode with the mean of the others. */
import { defineRecipe } from "./recipe.ts";

export const rloo = defineRecipe({
  info: {
    title: "RLOO",
    paper: "arXiv 2402.14740",
    meaning: "Compares each episode with the mean of the others.",
    departures: [],
  },
  credit: "rloo",
  settings: {},
  presets: {},
  update: async (bench) => {
    const episodes = await bench.collect();
    const { rows } = bench.credit(episodes);
    await bench.learn(rows, "clipped");
  },
});
