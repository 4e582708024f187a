/** GRPO: Compares each episode with the others of its task. */
import { option } from "limbeck-base/base/option";
import { defineRecipe } from "./recipe.ts";
import { collect } from "../update/collect.ts";
import { credit } from "../update/credit.ts";
import { learn } from "../update/learn.ts";
import { analyse, remember } from "../update/teach.ts";
import { learnShown, shownSettings } from "./demonstrated.ts";

export const grpo = defineRecipe({
  info: {
    title: "GRPO",
    paper: "DeepSeekMath, arXiv 2402.03300",
    confidence: "code",
    source:
      "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_grpo_outcome_advantage, compute_policy_loss_vanilla",
    meaning: "Compares each episode with the others of its task.",
    departures: [
      "Published scripts add 0.001 times the divergence from the start (k3), the paper 0.04 times; here klWeight is 0.",
      "Published scripts take 4 steps on each batch (1,024 prompts of 5 answers), clipped, the paper one (64 answers a question); here one step on 8 tasks of 8 episodes, in which the clipped loss has the slope of the plain gradient, which takes its place. Settings miniBatches and epochs.",
      "The paper takes the mean of each answer's tokens and then over answers; here token-mean, as in the published configuration. Setting aggregation.",
      "The paper's iterative form (a reward model trained anew, the reference renewed) is not here. skillInPrompt and demonstrations are our own.",
    ],
  },
  credit: "grpo",
  settings: {
    skillInPrompt: option.flag(
      false,
      "leave the skills of earlier successes, one for each family of tasks, in the prompt: not distilled, read",
    ),
    ...shownSettings,
  },
  presets: {
    // For starts that hardly ever succeed; what each part brought: docs/evidence/results/weak-starts.md.
    hard: { demonstrations: "all", demonstrationSteps: 4, tasks: 20, group: 4 },
  },
  update: async (update, { skillInPrompt, ...shown }) => {
    const episodes = await collect(update);
    if (skillInPrompt) {
      const select = ({ success }: { readonly success: boolean | null }): boolean => success === true;
      remember(update, episodes, await analyse(update, episodes, { maxStepSkills: 0, select }));
    }
    const { rows } = await credit(update, episodes);
    await learn(update, rows, "clipped");
    await learnShown(update, episodes, shown);
  },
});
