/** A demonstration: the whole way to the goal, by somebody who knows it. */
import { workflowText } from "../../skill/statistics/wording.ts";
import { toldByTask, type Context } from "./context.ts";

export const referenceSolution: Context = {
  info: {
    title: "The reference solution",
    meaning: "All actions of the world's demonstrator in this very task.",
    missing: "where the demonstrator fails the task itself",
  },
  prepare: (episodes, { solve }, { steps }) =>
    toldByTask(episodes, async (task) => {
      const solution = await solve(task);
      return solution === undefined ? undefined : workflowText(solution.plan.slice(0, steps));
    }),
};
