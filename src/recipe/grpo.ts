/** GRPO: Compares each episode with the others of its task. */
import { defineRecipe } from "./recipe.ts";

export const grpo = defineRecipe({
  info: {
    title: "GRPO",
    paper: "DeepSeekMath, arXiv 2402.03300",
    confidence: "code",
    meaning: "Compares each episode with the others of its task.",
    departures: [],
  },
  credit: "grpo",
  settings: {
    skillInPrompt: {
      kind: "flag",
      default: false,
      meaning:
        "leave the skills of earlier successes, one for each family of tasks, in the prompt: not distilled, read",
    },
  },
  presets: {},
  update: async (bench, { skillInPrompt }) => {
    const episodes = await bench.collect();
    if (skillInPrompt) {
      const select = ({ success }: { readonly success: boolean | null }): boolean => success === true;
      bench.remember(episodes, await bench.analyse(episodes, { maxStepSkills: 0, select }));
    }
    const { rows } = await bench.credit(episodes);
    await bench.learn(rows, "clipped");
  },
});
