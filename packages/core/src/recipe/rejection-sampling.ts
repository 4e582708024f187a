/** Rejection sampling: plays, keeps the episodes that succeeded, and makes what they did more likely. */
import { option } from "limbeck-base/base/option";
import { chooseTrajectories } from "../distill/curation/topology.ts";
import { crossEntropy } from "../objective/cross-entropy.ts";
import { gatherRows, gatherSettings } from "./gather.ts";
import { defineRecipe } from "./recipe.ts";
import { collect } from "../update/collect.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";

export const rejectionSampling = defineRecipe({
  info: {
    title: "Rejection-sampling fine-tuning",
    paper: "RFT, arXiv 2308.01825; as expert iteration older",
    confidence: "code",
    source:
      "OFA-Sys/gsm8k-ScRel @ 25d2c404; collect_rejection_sampling.py: collect; group_sample_7b_13b.sh, train_7b.sh; arXiv 2308.01825, section 3.3",
    meaning: "Plays, keeps the episodes that succeeded, and makes what they did more likely.",
    departures: [
      "The successes of every update are learned from at once and then forgotten; published forms gather a data set first (setting gather).",
      "Of successes that do the same each counts. The source keeps one answer for each list of equations, the one least like the others, and none with a wrong equation.",
      "The source draws 100 answers of each question at temperature 0.7, of the 50 likeliest tokens, from a model tuned on given solutions, and then trains the untuned model anew, on these solutions and what was kept, for 3 epochs at 2e-5. Here the policy goes on from itself, with 8 episodes at temperature 1, once, without demonstrations. The source's larger sets (U13B, U33B) join the answers of several models.",
    ],
  },
  // Rows come from it; the advantages are not looked at.
  credit: "grpo",
  settings: {
    ...gatherSettings,
    curate: option.limit(
      null,
      "most successes of a task, chosen by recovery, efficiency and rarity (TopoCurate); none: all of them",
      { least: 1, whole: true },
    ),
  },
  update: async (update, { gather, curate }) => {
    const episodes = await collect(update);
    const { rows } = await credit(update, episodes);
    const solved = chooseTrajectories(episodes, curate ?? episodes.length);
    const kept = rows.filter(({ trajectory }) => trajectory !== undefined && solved.has(trajectory));
    const objective = crossEntropy.create({});
    await learn(update, gatherRows(update, kept, gather), { name: "policy", weight: 1, objective });
  },
});
