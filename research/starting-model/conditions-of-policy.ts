/** Advice that rests on the model's own episodes: what the statistics analyst writes from a group of them. */
import { createRng } from "limbeck";
import { createStatisticsAnalyst } from "limbeck/skill";
import { playTask, type Condition, type EvaluateOptions } from "./evaluate.ts";

const GROUP_SIZE = 8;

/**
 * Eight unadvised episodes at temperature 1, as in training, then the skill that the analyst writes for the first of
 * them: its workflow if it succeeded, else its avoidance rule.
 */
export function analystCondition(options: Omit<EvaluateOptions, "condition" | "tasks" | "temperature">): Condition {
  const analyst = createStatisticsAnalyst();
  return {
    skill: async (_env, task) => {
      const rng = createRng(`${options.seed} group`);
      const group = await Promise.all(
        Array.from({ length: GROUP_SIZE }, (_, at) =>
          playTask({ ...options, condition: {}, temperature: 1 }, task, rng, `${task.id} ${at}`),
        ),
      );
      const [first] = await analyst.analyse(group, { maxStepSkills: 1 });
      return first?.episodeSkill?.text;
    },
  };
}
