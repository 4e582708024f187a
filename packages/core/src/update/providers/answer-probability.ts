/** The probability of the reference answer around each turn: what IGPO and A2TGPO call information. */
import { needText } from "../../credit/needs.ts";
import { byTask } from "limbeck-base/trajectory/rows";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { scoreAnswers } from "./answer-scores.ts";
import { defineProvider, withRows, withSignals } from "./provider.ts";
import { solve } from "../solve.ts";

export const answerProbability = defineProvider({
  info: {
    title: "Probability of the answer",
    meaning:
      "Scores the reference answer, as the policy would write it, in the context before each turn and after its observation.",
    cost: "one scored answer for each turn, on shared history, and one demonstration for each task",
    departures: [
      "The reference answer is the action with which the world's demonstrator finishes the task: the answer itself in worlds of questions, the finishing command in worlds of errands.",
      "A task that the demonstrator fails has no reference answer (gold: null).",
    ],
  },
  supplies: ["answerLogprob"],
  options: {},
  provide: async (batch, episodes, update) => {
    const answers = await referenceAnswers(episodes, (task) => solve(update, task, needText("answerLogprob")));
    const { around, lost } = await scoreAnswers(batch, episodes, update, ({ task }) => {
      const answer = answers.get(task.id);
      return answer === undefined ? [] : [answer];
    });
    const found = withRows(batch, (row, at) => {
      const turn = around[at];
      if (turn === undefined) return { ...row, gold: null };
      return withSignals(row, { answerLogprob: { before: turn.before[0] as number, after: turn.after[0] as number } });
    });
    return { batch: found, metrics: { tasksWithAnswer: answers.size, lost } };
  },
});

/** Answers by task id, for the tasks that have one. */
async function referenceAnswers(
  episodes: readonly Trajectory[],
  ask: (task: Trajectory["task"]) => Promise<{ readonly answer: string } | undefined>,
): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const { id, trajectories } of byTask(episodes)) {
    const [first] = trajectories;
    const reference = first === undefined ? undefined : await ask(first.task);
    if (reference !== undefined) answers.set(id, reference.answer);
  }
  return answers;
}
