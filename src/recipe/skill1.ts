/** Skill1: one policy asks its library, chooses a skill, acts with it and writes a new one; one outcome, three credits. */
import { option } from "../base/index.ts";
import { shelfFromJson, shelfToJson, visitOf, withSkillChoice } from "../orchestrate/index.ts";
import { foldVisits } from "../orchestrate/skills/shelf.ts";
import { choosingSettings } from "./choosing-settings.ts";
import { defineRecipe } from "./recipe.ts";
import { collect, credit, keep, learn, measure } from "../update/index.ts";

export const skill1 = defineRecipe({
  info: {
    title: "Skill1",
    paper: "Skill1: Unified Evolution of Skill-Augmented Agents via Reinforcement Learning",
    confidence: "inferred",
    meaning:
      "Learns to search, choose, use and write skills together, each part credited in its own way by the one outcome.",
    departures: [
      "Coefficients are those of the released launch script; the rest follows the description.",
      "Small models do not write: with answers listed the query is a word of the goal, the choice a number, and what is written one of three texts in the statistics analyst's words. Tokens, masks and allowed sets are recorded as they were drawn. With answers free all of it is the model's own text; what it writes is screened first.",
      "A query finds skills by shared words with the goal they were written for, not by an embedding.",
      "The library stands still during an update, so that the episodes of a group find the same skills; it is in the checkpoint.",
      "Query and choice are one segment. An empty library has neither.",
    ],
  },
  credit: "skill1",
  settings: {
    ...choosingSettings,
    candidates: option.number(3, "skills that a query finds", { least: 1, most: 9, whole: true }),
    explore: option.number(0.5, "c, how much rarely tried skills are favoured while training", { least: 0 }),
    utilityRate: option.share(0.05, "a, how much one use moves a utility"),
    newUtility: option.choice(
      "outcome",
      ["outcome", "mean"],
      "what a new skill starts with: its episode's outcome, or the mean of the library",
    ),
    capacity: option.count(5000, "most skills; the least useful go"),
  },
  world: (env, { answers, prompts, candidates, explore }, kept, phase) =>
    withSkillChoice(env, {
      shelf: shelfFromJson(kept),
      retrieval: { most: candidates, bonus: phase === "training" ? explore : 0 },
      writes: phase === "training",
      answers,
      remind: prompts === "rebuilt",
    }),
  update: async (update, { utilityRate, newUtility, capacity }) => {
    const episodes = await collect(update);
    const { rows } = await credit(update, episodes);
    await learn(update, rows, "clipped");
    const visits = episodes.flatMap((episode) => visitOf(episode) ?? []);
    const shelf = foldVisits(shelfFromJson(update.kept), visits, { rate: utilityRate, newUtility, capacity });
    const { skills } = shelf;
    const utility = skills.reduce((total, skill) => total + skill.utility, 0) / Math.max(1, skills.length);
    measure(update, { "library/skills": skills.length, "library/meanUtility": utility });
    keep(update, shelfToJson(shelf));
  },
});
