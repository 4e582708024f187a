/** The tasks of an agent: one JSON object a line, with a goal. */
import { z } from "zod";
import { withoutUndefined } from "limbeck-base/base/fields";
import { repositorySchema } from "./repository.ts";
import type { JsonObject } from "limbeck-base/base/json";
import { checkExpected } from "limbeck-core/eval/lift/expected";
import { readTaskFile, taskLine, type TasksBySplit } from "limbeck-core/env/task-file";

const line = taskLine.extend({
  /** The last line of what the program prints is this; capitals, spaces and a full stop make no difference. */
  answer: z.string().optional(),
  /** What it prints matches this regular expression, or is JSON of this schema. */
  pattern: z.string().optional(),
  schema: z.record(z.string(), z.json()).optional(),
  seed: z.int().optional(),
  /** A state of a repository that the run works in. */
  repository: repositorySchema.optional(),
  /** A program and its arguments that judge this task; only where `taskChecks` allows it. */
  check: z.array(z.string().min(1)).min(1).optional(),
  /** What it was made from; for people. */
  session: z.string().optional(),
});

/** Questions of `limbeck lift --dataset` are tasks too: they call the goal a prompt. */
const schema = z.preprocess((value) => {
  if (typeof value !== "object" || value === null || !("prompt" in value) || "goal" in value) return value;
  const { prompt, ...rest } = value;
  return { ...rest, goal: prompt };
}, line);

export async function readAgentTasks(path: string): Promise<TasksBySplit> {
  return await readTaskFile(path, {
    env: "agent",
    schema,
    form: '{"goal": "…"}, with id, split, answer, pattern, schema, seed, repository, check or session',
    data: ({ id, answer, pattern, schema, repository, check, session }) => {
      checkExpected(withoutUndefined({ pattern, schema }), `The task ${id ?? "without id"} of ${path}`);
      const data = withoutUndefined({ answer, pattern, schema, repository, check, session });
      return Object.keys(data).length === 0 ? undefined : (data as JsonObject);
    },
  });
}

/** The tasks of a single goal. */
export function oneTask(goal: string): TasksBySplit {
  return { train: [{ id: "agent/1", env: "agent", seed: 1, goal, split: "train" }] };
}
