/** Worlds whose tasks are a list: read from a file of one JSON object a line, and listed by split. */
import { z } from "zod";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { parseJson } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { plainText } from "limbeck-base/base/plain-file";
import type { Env } from "./env.ts";
import { unknownSplit } from "./episode-error.ts";

export type TasksBySplit = Readonly<Record<string, readonly Task[]>>;

/** What a line of every such file holds; a world adds fields of its own. */
export const taskLine = z.strictObject({
  id: z.string().min(1).optional(),
  split: z.string().min(1).default("train"),
  goal: z.string().min(1),
});

interface Line extends z.infer<typeof taskLine> {
  readonly seed?: number | undefined;
}

export interface TaskFile<Own extends Line> {
  readonly env: string;
  readonly schema: z.ZodType<Own>;
  /** A task as it is written, for the error of a line that is none. */
  readonly form: string;
  /** What travels with the task. */
  readonly data: (line: Own) => Task["data"];
}

/** The tasks by split, in the order of the file. A line that is not understood is named. */
export async function readTaskFile<Own extends Line>(
  path: string,
  { env, schema, form, data: dataOf }: TaskFile<Own>,
): Promise<TasksBySplit> {
  const text = await plainText(path).catch((cause: unknown) => {
    if (errorCode(cause) !== "ENOENT") throw cause;
    throw new EngineError("bad-options", `The file of tasks "${path}" is not there: tasks=FILE.jsonl.`, { cause });
  });
  const bySplit: Record<string, Task[]> = {};
  const ids = new Set<string>();
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const parsed = schema.safeParse(parseJson(line));
    if (!parsed.success) {
      throw new EngineError(
        "bad-task",
        `"${path}", line ${at + 1} is no task: ${z.prettifyError(parsed.error)}. A task is ${form}.`,
      );
    }
    const { id = `${env}/${at + 1}`, split, goal, seed = at + 1 } = parsed.data;
    if (ids.has(id)) throw new EngineError("bad-task", `"${path}", line ${at + 1}: the id "${id}" is there twice.`);
    ids.add(id);
    const data = dataOf(parsed.data);
    (bySplit[split] ??= []).push({ id, env, seed, goal, split, ...(data === undefined ? {} : { data }) });
  }
  if (ids.size === 0) throw new EngineError("bad-task", `"${path}" holds no task.`);
  return bySplit;
}

/** The fields of a world that has just these tasks. */
export function listedTasks(env: string, tasks: TasksBySplit): Pick<Env, "splits" | "tasks"> {
  return {
    splits: Object.fromEntries(Object.entries(tasks).map(([split, list]) => [split, list.length])),
    tasks: (split, { offset = 0, count = Number.POSITIVE_INFINITY } = {}) => {
      const list = Object.hasOwn(tasks, split) ? tasks[split] : undefined;
      if (list === undefined) throw unknownSplit(env, split, Object.keys(tasks));
      return list.slice(offset, offset + count);
    },
  };
}

/** An answer as it is compared: capitals, spaces and a full stop at the end make no difference. */
export function plainAnswer(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[.!]+$/, "");
}

/** Tasks of a split that are made by their number. Sizes may be infinite; a split without a size is refused by name. */
export function numberedTasks(
  env: string,
  sizes: Env["splits"],
  split: string,
  { offset = 0, count = Number.POSITIVE_INFINITY }: NonNullable<Parameters<Env["tasks"]>[1]> = {},
  make: (index: number) => Task,
): Iterable<Task> {
  const size = Object.hasOwn(sizes, split) ? sizes[split] : undefined;
  if (size === undefined) throw unknownSplit(env, split, Object.keys(sizes));
  return (function* () {
    for (let index = offset; index < Math.min(size, offset + count); index += 1) yield make(index);
  })();
}
