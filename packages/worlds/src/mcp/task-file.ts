/** The tasks of a world whose tools are a server's: one JSON object a line, with a goal and a check. */
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { parseJson } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { readTaskFile, taskLine, type TasksBySplit } from "limbeck-core/env/task-file";

const words = z.union([
  z
    .string()
    .min(1)
    .transform((one) => [one]),
  z.array(z.string().min(1)).min(1),
]);
const args = z.record(z.string(), z.json()).default({});
const call = z.strictObject({ name: z.string().min(1), arguments: args });

const CheckSchema = z
  .strictObject({
    /** The agent's last words are one of these; capitals, spaces and a full stop at the end make no difference. */
    answer: words.optional(),
    /** Every one of these stands in its last words. */
    mentions: words.optional(),
    /** The writing calls that succeeded are these, in any order. */
    calls: z.array(call).optional(),
    /** A tool that is asked when the agent is done; its answer holds these words. */
    state: z.strictObject({ name: z.string().min(1), arguments: args, contains: words }).optional(),
  })
  .refine((check) => Object.values(check).some((part) => part !== undefined), {
    message: "needs at least one of answer, mentions, calls, state",
  });

const schema = taskLine.extend({ check: CheckSchema });

export type Check = z.infer<typeof CheckSchema>;

export async function readTasks(path: string, env: string): Promise<TasksBySplit> {
  return await readTaskFile(path, {
    env,
    schema,
    form: '{"goal": "…", "check": {"answer": "…"}}',
    data: ({ check }) => ({ check: JSON.stringify(check) }),
  });
}

/** The check that travels with a task. */
export function checkOf(task: Task): Check {
  const text = task.data?.["check"];
  const parsed = CheckSchema.safeParse(typeof text === "string" ? parseJson(text) : undefined);
  if (parsed.success) return parsed.data;
  throw new EngineError("bad-task", `Task "${task.id}" has no check, so nothing can be said of its outcome.`);
}
