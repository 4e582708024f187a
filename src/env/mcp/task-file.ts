/** The tasks of a world whose tools are a server's: one JSON object a line, with a goal and a check. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { EngineError, errorCode, parseJson } from "../../base/index.ts";
import type { Task } from "../../trajectory/index.ts";

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

const LineSchema = z.strictObject({
  id: z.string().min(1).optional(),
  split: z.string().min(1).default("train"),
  goal: z.string().min(1),
  check: CheckSchema,
});

export type Check = z.infer<typeof CheckSchema>;

/** The tasks by split, in the order of the file. A line that is not understood is named. */
export async function readTasks(path: string, env: string): Promise<Readonly<Record<string, readonly Task[]>>> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    if (errorCode(cause) !== "ENOENT") throw cause;
    throw new EngineError("bad-options", `The file of tasks "${path}" is not there: tasks=FILE.jsonl.`, { cause });
  });
  const bySplit: Record<string, Task[]> = {};
  const ids = new Set<string>();
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const parsed = LineSchema.safeParse(parseJson(line));
    if (!parsed.success) {
      const form = '{"goal": "…", "check": {"answer": "…"}}';
      throw new EngineError(
        "bad-task",
        `"${path}", line ${at + 1} is no task: ${z.prettifyError(parsed.error)}. A task is ${form}.`,
      );
    }
    const { id = `${env}/${at + 1}`, split, goal, check } = parsed.data;
    if (ids.has(id)) throw new EngineError("bad-task", `"${path}", line ${at + 1}: the id "${id}" is there twice.`);
    ids.add(id);
    (bySplit[split] ??= []).push({ id, env, seed: at + 1, goal, split, data: { check: JSON.stringify(check) } });
  }
  if (ids.size === 0) throw new EngineError("bad-task", `"${path}" holds no task.`);
  return bySplit;
}

/** The check that travels with a task. */
export function checkOf(task: Task): Check {
  const text = task.data?.["check"];
  const parsed = CheckSchema.safeParse(typeof text === "string" ? parseJson(text) : undefined);
  if (parsed.success) return parsed.data;
  throw new EngineError("bad-task", `Task "${task.id}" has no check, so nothing can be said of its outcome.`);
}
