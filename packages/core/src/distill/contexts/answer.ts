/** The verified answer alone, without the way to it. */
import { workflowText } from "../../skill/statistics/wording.ts";
import { defineContext, toldByTask } from "./context.ts";

export const answer = defineContext({
  info: {
    title: "The verified answer",
    meaning: "The action that finishes the task, by the world's demonstrator; in worlds of questions the answer.",
    missing: "where the demonstrator fails the task itself",
  },
  options: {},
  prepare: (episodes, { solve }) =>
    toldByTask(episodes, async (task) => {
      const solution = await solve(task);
      return solution === undefined ? undefined : workflowText([solution.answer]);
    }),
});
