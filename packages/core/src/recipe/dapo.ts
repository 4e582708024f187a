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
      "volcengine/verl @ b178a3cd; verl/workers/reward_manager/dapo.py: DAPORewardManager; the filter and the preset: jinyangwu/OPID @ 37a15a5f; recipe/dapo/dapo_ray_trainer.py, run_dapo_qwen2.5_32b.sh",
    meaning: "GRPO with a wider upper clip, and without groups that all end alike.",
    departures: [
      "Groups without differences are dropped, not sampled again: an update has a fixed cost here. Published code generates until 512 prompts are kept.",
      "Published runs take 16 steps on each batch (512 prompts of 16 answers in mini-batches of 32), in which ratios move; here one step on 8 tasks of 8 episodes, in which no ratio moves and clipHigh does nothing. Preset paper has theirs.",
      "Published scripts bound the loss of negative advantages at 10 (clip_ratio_c; preset paper); here at 3, the code's default. Setting dualClip.",
      "Overlong shaping keeps the published lengths (20,480 and 4,096 tokens) whatever answerTokens is: set credit.maxTokens and credit.bufferTokens with it. Preset paper allows answers of 20,480.",
      "Published scripts warm the learning rate (1e-6) up over 10 steps and decay weights by 0.1 (preset paper); here neither by default.",
    ],
  },
  credit: "dapo",
  settings: {
    clipHigh: option.number(0.28, "how far the ratio may rise above 1", { least: 0 }),
    aggregation: option.choice("token-mean", AGGREGATIONS, "from losses per token to one"),
  },
  presets: {
    // run_dapo_qwen2.5_32b.sh.
    paper: {
      tasks: 512,
      group: 16,
      miniBatches: 16,
      clipLow: 0.2,
      clipHigh: 0.28,
      dualClip: 10,
      klWeight: 0,
      answerTokens: 20_480,
      learningRate: 1e-6,
      warmup: 10,
      weightDecay: 0.1,
    },
  },
  update: groupUpdate("clipped"),
});
