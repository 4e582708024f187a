/** GiGPO: Compares episodes of a task, and steps that started from the same state. */
import { defineRecipe } from "./recipe.ts";

export const gigpo = defineRecipe({
  info: {
    title: "GiGPO",
    paper: "arXiv 2505.10978",
    meaning: "Compares episodes of a task, and steps that started from the same state.",
    departures: [],
  },
  credit: "gigpo",
  settings: {},
  presets: {},
  update: async (bench) => {
    const episodes = await bench.collect();
    const { rows } = bench.credit(episodes);
    await bench.learn(rows, "clipped");
  },
});
