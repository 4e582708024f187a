/** DAPO: GRPO with a wider upper clip, and without groups that all end alike. */
import { AGGREGATIONS } from "../objective/index.ts";
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const dapo = defineRecipe({
  info: {
    title: "DAPO",
    paper: "arXiv 2503.14476",
    confidence: "code",
    meaning: "GRPO with a wider upper clip, and without groups that all end alike.",
    departures: ["Groups without differences are dropped, not sampled again: an update has a fixed cost here."],
  },
  credit: "dapo",
  settings: {
    clipHigh: { kind: "number", default: 0.28, least: 0, meaning: "how far the ratio may rise above 1" },
    aggregation: {
      kind: "choice",
      default: "token-mean",
      choices: AGGREGATIONS,
      meaning: "from losses per token to one",
    },
  },
  presets: {},
  update: groupUpdate("clipped"),
});
