/** DAPO: GRPO with a wider upper clip, and without groups that all end alike. */
import { option } from "limbeck-base/base/option";
import { AGGREGATIONS } from "../objective/aggregation.ts";
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const dapo = defineRecipe({
  info: {
    title: "DAPO",
    paper: "arXiv 2503.14476",
    confidence: "code",
    source:
      "volcengine/verl @ b178a3cd; verl/workers/reward_manager/dapo.py: DAPORewardManager; the filter: jinyangwu/OPID @ 37a15a5f; recipe/dapo/dapo_ray_trainer.py",
    meaning: "GRPO with a wider upper clip, and without groups that all end alike.",
    departures: ["Groups without differences are dropped, not sampled again: an update has a fixed cost here."],
  },
  credit: "dapo",
  settings: {
    clipHigh: option.number(0.28, "how far the ratio may rise above 1", { least: 0 }),
    aggregation: option.choice("token-mean", AGGREGATIONS, "from losses per token to one"),
  },
  update: groupUpdate("clipped"),
});
