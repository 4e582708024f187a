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
      "The further rollouts come out of the budget group * tasks: where wishes exceed it, the largest go first. Published code has no budget.",
      "Published runs take 8 first rollouts of each task (Llama 16); here strategy.first is 4, and group (8) is the budget.",
      "Breadth (DARS-B) is one mini-batch an epoch and two epochs, whatever the number of tasks; published batches have 3072.",
      "The published loss is a sum over tokens, divided by the longest answer allowed (3072) and by the rows of a worker over 64 (Llama 128), without dual clip and with an entropy bonus of 0.001; here it is the clipped loss with its mean over tokens and a dual clip of 3.",
    ],
  },
  credit: "dars",
  strategy: { name: "allocate", options: { by: "equal", examples: 0 } },
  settings: {
    epochs: option.count(2, "times each batch is learned from"),
  },
  presets: {
    hardness: { "strategy.by": "hardness", "strategy.most": 64 },
  },
  update: groupUpdate("clipped"),
});
