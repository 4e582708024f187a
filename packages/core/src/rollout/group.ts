/** Independent samples of every task: the group that group-relative methods compare. */
import { option } from "limbeck-base/base/option";
import { defineStrategy } from "./strategy.ts";
import { eachMember } from "./ask.ts";

export const group = defineStrategy({
  info: {
    title: "Group",
    paper: "DeepSeekMath, arXiv 2402.03300",
    confidence: "paper",
    source: "arXiv 2402.03300, sections 4.1 and 4.2",
    formula: ["size independent episodes per task, each with a seed of its own"],
    meaning: "Rolls every task out several times, independently.",
    departures: [
      "The paper's runs take 64 answers to a question. Option size.",
      "A member that cannot be paid, or is lost, is not replaced.",
    ],
  },
  options: {
    size: option.count(8, "episodes per task"),
  },
  create: ({ size }) => ({
    run: async (scope) => {
      await eachMember(scope, { size }, async (own, task, member) => {
        await (await own.open(task, member))?.advance();
      });
    },
  }),
});
