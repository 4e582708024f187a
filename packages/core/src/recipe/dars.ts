/** DARS: hard tasks get further rollouts until they weigh as much as even ones, and every batch is learned from twice. */
import { option } from "limbeck-base/base/option";
import { groupUpdate } from "./group-update.ts";
import { defineRecipe } from "./recipe.ts";

export const dars = defineRecipe({
  info: {
    title: "DARS",
    paper: "Depth-Breadth Synergy in RLVR, arXiv 2508.13755",
    confidence: "code",
    source: "yangzhch6/DARS @ 9b21b714; verl/verl/trainer/ppo/ray_dars_trainer.py: schedule_ET, schedule_HW",
    meaning: "Gives hard tasks further rollouts until they weigh as much as those that are solved half of the time.",
    departures: [
      "The further rollouts come out of the budget group * tasks: where wishes exceed it, the largest go first.",
      "Breadth (DARS-B) is one mini-batch an epoch and two epochs, whatever the number of tasks.",
    ],
  },
  credit: "dars",
  // Deviations are not divided by: that would weigh hard tasks twice.
  creditDefaults: { normByStd: false },
  strategy: { name: "allocate", options: { by: "equal", examples: 0 } },
  settings: {
    epochs: option.count(2, "times each batch is learned from"),
  },
  presets: {
    hardness: { "strategy.by": "hardness", "strategy.most": 64 },
  },
  update: groupUpdate("clipped"),
});
