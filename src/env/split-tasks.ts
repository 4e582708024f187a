/** The tasks of a split, listed with care: the world may be anybody's. */
import { EngineError } from "../base/index.ts";
import { kindOfValue } from "../base/parts/part.ts";
import type { Task } from "../trajectory/index.ts";
import type { Env } from "./env.ts";
import { isIterable, taskFault } from "./world-faults.ts";

type Range = NonNullable<Parameters<Env["tasks"]>[1]>;

/** At most as many as were asked for, however many the world gives. What it throws, and what is no task, is named. */
export async function splitTasks(env: Env, split: string, range: Required<Range>): Promise<Task[]> {
  const bad = (fault: string): EngineError =>
    new EngineError("bad-world", `The world "${env.id}" cannot be used: in tasks("${split}") ${fault}.`, {
      details: { env: env.id, method: "tasks", split },
    });
  const tasks: Task[] = [];
  if (range.count <= 0) return tasks;
  try {
    const given: unknown = await env.tasks(split, range);
    if (!isIterable(given)) throw bad(`it gave ${kindOfValue(given)}, not a list of tasks`);
    for await (const task of given) {
      const fault = taskFault(task, { id: (task as Task | undefined)?.env ?? env.id });
      if (fault !== undefined) throw bad(fault);
      tasks.push(task as Task);
      if (tasks.length >= range.count) break;
    }
    return tasks;
  } catch (error) {
    if (error instanceof EngineError) throw error;
    const said = error instanceof Error ? `${error.name}: ${error.message}` : `threw ${String(error)}`;
    throw new EngineError("world-failed", `The world "${env.id}" failed in tasks("${split}"): ${said}`, {
      details: { env: env.id, method: "tasks", split },
      cause: error,
    });
  }
}

/** A split that nothing can be played of is refused by name. `what` needs it: "The training", "The validation". */
export function requireSplit(
  { id, splits }: Pick<Env, "id" | "splits">,
  split: string,
  what: string,
  wayOut: string,
): void {
  const size = Object.hasOwn(splits, split) ? splits[split] : undefined;
  if (size !== undefined && size >= 1) return;
  const others = Object.entries(splits).map(
    ([name, count]) => `${name} (${count === Infinity ? "without end" : count})`,
  );
  throw new EngineError(
    "no-tasks",
    `${what} has no tasks: the world "${id}" ${size === undefined ? `has no split "${split}"` : `holds ${size} tasks in its split "${split}"`}. Its splits: ${others.join(", ") || "none"}. ${wayOut}`,
    { details: { env: id, split, splits: others } },
  );
}
