/** The tasks of an agent: one JSON object a line, with a goal. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { EngineError, errorCode, parseJson } from "../../base/index.ts";
import type { Task } from "../../trajectory/index.ts";

const LineSchema = z.strictObject({
  id: z.string().min(1).optional(),
  split: z.string().min(1).default("train"),
  goal: z.string().min(1),
  /** The last line of what the program prints is this; capitals, spaces and a full stop make no difference. */
  answer: z.string().optional(),
  seed: z.int().optional(),
});

/** The tasks by split, in the order of the file. A line that is not understood is named. */
export async function readAgentTasks(path: string): Promise<Readonly<Record<string, readonly Task[]>>> {
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
      throw new EngineError(
        "bad-task",
        `"${path}", line ${at + 1} is no task: ${z.prettifyError(parsed.error)}. A task is {"goal": "…"}, with id, split, answer or seed.`,
      );
    }
    const { id = `agent/${at + 1}`, split, goal, answer, seed = at + 1 } = parsed.data;
    if (ids.has(id)) throw new EngineError("bad-task", `"${path}", line ${at + 1}: the id "${id}" is there twice.`);
    ids.add(id);
    const data = answer === undefined ? {} : { data: { answer } };
    (bySplit[split] ??= []).push({ id, env: "agent", seed, goal, split, ...data });
  }
  if (ids.size === 0) throw new EngineError("bad-task", `"${path}" holds no task.`);
  return bySplit;
}
