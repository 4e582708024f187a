/** A demonstration: the whole way to the goal. */
import { workflowText } from "../../skill/statistics/wording.ts";
import { contextOptionTable, defineContext, toldByTask } from "./context.ts";

export const referenceSolution = defineContext({
  info: {
    title: "The reference solution",
    meaning: "All actions of the world's demonstrator in this very task.",
    missing: "where the demonstrator fails the task itself",
  },
  options: { steps: contextOptionTable.steps },
  prepare: (episodes, { solve }, { steps }) =>
    toldByTask(episodes, async (task) => {
      const solution = await solve(task);
      return solution === undefined ? undefined : workflowText(solution.plan.slice(0, steps));
    }),
});
