/** The tasks of an agent: one JSON object a line, with a goal. */
import { z } from "zod";
import { readTaskFile, taskLine, type TasksBySplit } from "../task-file.ts";

const line = taskLine.extend({
  /** The last line of what the program prints is this; capitals, spaces and a full stop make no difference. */
  answer: z.string().optional(),
  seed: z.int().optional(),
});

/** Questions of `limbeck skills lift --dataset` are tasks too: they call the goal a prompt. */
const schema = z.preprocess((value) => {
  if (typeof value !== "object" || value === null || !("prompt" in value) || "goal" in value) return value;
  const { prompt, ...rest } = value;
  return { ...rest, goal: prompt };
}, line);

export async function readAgentTasks(path: string): Promise<TasksBySplit> {
  return await readTaskFile(path, {
    env: "agent",
    schema,
    form: '{"goal": "…"}, with id, split, answer or seed',
    data: ({ answer }) => (answer === undefined ? undefined : { answer }),
  });
}

/** The tasks of somebody who has one goal. */
export function oneTask(goal: string): TasksBySplit {
  return { train: [{ id: "agent/1", env: "agent", seed: 1, goal, split: "train" }] };
}
