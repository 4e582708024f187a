/** The policy with the solution in its prompt: the privileged teacher of PBSD. */
import { option } from "limbeck-base/base/option";
import { resolveOptions } from "limbeck-base/base/options";
import { needText } from "../../credit/needs.ts";
import { contextOptionTable } from "../../distill/contexts/context.ts";
import { contexts } from "../../distill/contexts/index.ts";
import { rescore } from "../../distill/rescore.ts";
import type { Analysis } from "../../skill/skill.ts";
import { injectionOf } from "../agent.ts";
import { solve } from "../solve.ts";
import { defineProvider, withLogprobs, withRows } from "./provider.ts";

export const answerTeacher = defineProvider({
  info: {
    title: "Privileged teacher",
    meaning: "Scores the policy's own words again by the policy itself, with the verified solution in the opening.",
    cost: "every episode is scored once more with the solution in front, and one demonstration for each task",
    departures: [
      "The verified answer is the demonstrator's whole solution, written as a skill, which is how the bundled model takes advice.",
      "A task that the demonstrator fails, and a branch whose opening is its parent's, have no teacher (gold: null): their turns share alike.",
    ],
  },
  supplies: ["answerTeacher"],
  options: {
    steps: option.count(40, "most actions of the solution that are told"),
  },
  provide: async (batch, episodes, update, { steps }) => {
    const told = await contexts["reference-solution"].prepare(
      episodes,
      { solve: (task) => solve(update, task, needText("answerTeacher")), analyse: () => Promise.resolve(new Map()) },
      resolveOptions(contextOptionTable, { steps }, "the provider answer-teacher"),
      episodes,
    );
    const analyses = told.kind === "told" ? told.analyses : new Map<string, Analysis>();
    const { opinions, lost } = await rescore(episodes, analyses, {
      scorer: update.model,
      dialect: update.dialect,
      forest: {
        mode: "episode_only",
        episodeWeight: 1,
        stepWeight: 0,
        maxTokens: update.model.config.contextLength,
        ...injectionOf(update.settings),
      },
      signal: update.signal,
    });
    const provided = withRows(batch, (row) => {
      const answer = opinions.get(row.trajectory)?.get(row.step)?.episode;
      return answer === undefined ? { ...row, gold: null } : withLogprobs(row, { answerTeacher: answer });
    });
    return { batch: provided, metrics: { taught: analyses.size, lost: lost.length } };
  },
});
