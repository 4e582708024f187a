/**
 * Checks of a foreign world. It may answer at once where a promise is meant; what it throws, and what
 * is no answer, is named with the world, the method and the task. Nothing of it costs a promise where all is well.
 */
import { EngineError, errorData, isAbort, throwIfAborted } from "limbeck-base/base/errors";
import { turnDue } from "limbeck-base/base/turns";
import { kindOfValue } from "limbeck-base/base/parts/part";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Env, Episode, StepResult } from "./env.ts";

const ENDINGS: readonly unknown[] = [undefined, "terminated", "truncated", "failed"];

type Method = "open" | "step" | "fork" | "admissible" | "irreversible";

/** What it threw, with its name; the engine's own errors have one. */
export function worldError({ id, env }: Task, method: Method, error: unknown): unknown {
  if (error instanceof EngineError || isAbort(error)) return error;
  const said = error instanceof Error ? `${error.name}: ${error.message}` : `threw ${errorData(error).message}`;
  return new EngineError("world-lost", `The world "${env}" failed in ${method} of task "${id}": ${said}`, {
    details: { env, method, task: id },
    cause: error,
  });
}

function badWorld({ id, env }: Task, method: Method, fault: string): EngineError {
  return new EngineError("bad-world", `The world "${env}" cannot be used: in ${method} of task "${id}" ${fault}.`, {
    details: { env, method, task: id },
  });
}

/** A world that was opened or copied, from the one it was copied from. */
export function checkEpisode(task: Task, made: Episode, from?: Episode): void {
  const fault = made === from ? "it gave the episode itself, not a copy" : episodeFault(made);
  if (fault !== undefined) throw badWorld(task, from === undefined ? "open" : "fork", fault);
}

export function checkResult(task: Task, result: StepResult): void {
  const fault = resultFault(result);
  if (fault !== undefined) throw badWorld(task, "step", fault);
}

/** The actions that the world lists here. */
export function listedActions(world: Episode): readonly string[] | undefined {
  let list: unknown;
  try {
    list = world.admissible();
  } catch (error) {
    throw worldError(world.task, "admissible", error);
  }
  if (list === undefined || list === null) return undefined;
  if (!Array.isArray(list)) throw badWorld(world.task, "admissible", `it gave ${kindOfValue(list)}, not a list`);
  const strange: unknown = list.find((action) => typeof action !== "string");
  if (strange === undefined) return list as readonly string[];
  throw badWorld(world.task, "admissible", `an action is ${kindOfValue(strange)}, not a text`);
}

/** Whether the action cannot be taken back, as far as the world says. */
export function isIrreversible(world: Episode, action: string): boolean | Promise<boolean> {
  const named = (error: unknown): never => {
    throw worldError(world.task, "irreversible", error);
  };
  try {
    const said = world.irreversible?.(action);
    return said instanceof Promise ? said.then(Boolean, named) : said === true;
  } catch (error) {
    return named(error);
  }
}

/** They are held in memory, every one. */
const MOST_TASKS = 250_000;

/** The tasks of a split: at most as many as were asked for, however many the world gives. What it throws, and what is no task, is named. */
export async function splitTasks(
  env: Env,
  split: string,
  { signal, ...range }: { readonly offset: number; readonly count: number; readonly signal?: AbortSignal | undefined },
): Promise<Task[]> {
  if (range.count > MOST_TASKS) {
    const message = `${range.count} tasks of "${split}" at once; at most ${MOST_TASKS}. Ask for fewer, or for parts of them with an offset.`;
    throw new EngineError("bad-limit", message, { details: { env: env.id, split, count: range.count } });
  }
  const bad = (fault: string): EngineError =>
    new EngineError("bad-world", `The world "${env.id}" cannot be used: in tasks("${split}") ${fault}.`, {
      details: { env: env.id, method: "tasks", split },
    });
  const tasks: Task[] = [];
  if (range.count <= 0) return tasks;
  try {
    const given: unknown = env.tasks(split, range);
    if (!isIterable(given)) throw bad(`it gave ${kindOfValue(given)}, not a list of tasks`);
    for await (const task of given) {
      const fault = taskFault(task, { id: (task as Task | undefined)?.env ?? env.id });
      if (fault !== undefined) throw bad(fault);
      tasks.push(task as Task);
      if (tasks.length >= range.count) break;
      const turn = turnDue();
      if (turn === undefined) continue;
      await turn;
      throwIfAborted(signal);
    }
    return tasks;
  } catch (error) {
    if (error instanceof EngineError || isAbort(error)) throw error;
    const said = error instanceof Error ? `${error.name}: ${error.message}` : `threw ${String(error)}`;
    throw new EngineError("world-lost", `The world "${env.id}" failed in tasks("${split}"): ${said}`, {
      details: { env: env.id, method: "tasks", split },
      cause: error,
    });
  }
}

export function envFault(env: unknown): string | undefined {
  if (typeof env !== "object" || env === null) return `it gave ${kindOfValue(env)}, not an environment`;
  const { id, summary, maxSteps, splits, tasks, open } = env as Record<keyof Env, unknown>;
  if (typeof id !== "string" || id === "") return `"id" is ${kindOfValue(id)}, not a name`;
  if (typeof summary !== "string") return `"summary" is ${kindOfValue(summary)}, not a text`;
  if (!(typeof maxSteps === "number" && maxSteps >= 1)) {
    return `"maxSteps" is ${typeof maxSteps === "number" ? maxSteps : kindOfValue(maxSteps)}, not a number of at least 1`;
  }
  if (typeof splits !== "object" || splits === null) return `"splits" is ${kindOfValue(splits)}, not a table of sizes`;
  const strange = Object.entries(splits).find(([, size]) => !(typeof size === "number" && size >= 0));
  if (strange !== undefined) return `the split "${strange[0]}" is ${kindOfValue(strange[1])}, not a number of tasks`;
  if (typeof tasks !== "function") return `"tasks" is ${kindOfValue(tasks)}, not a function`;
  return typeof open === "function" ? undefined : `"open" is ${kindOfValue(open)}, not a function`;
}

type AnyIterable = Iterable<unknown> | AsyncIterable<unknown>;

export function isIterable(value: unknown): value is AnyIterable {
  return typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

export function taskFault(task: unknown, { id: env }: Pick<Env, "id">): string | undefined {
  if (typeof task !== "object" || task === null) return `a task is ${kindOfValue(task)}, not an object`;
  const fields = task as Readonly<Record<string, unknown>>;
  const wrong = ["id", "env", "goal", "split"].find((name) => typeof fields[name] !== "string");
  if (wrong !== undefined) return `"${wrong}" of a task is ${kindOfValue(fields[wrong])}, not a text`;
  if (fields["env"] !== env)
    return `the task "${String(fields["id"])}" names the env "${String(fields["env"])}", not "${env}"`;
  const { seed } = fields;
  if (typeof seed === "number" && Number.isFinite(seed)) return undefined;
  return `"seed" of the task "${String(fields["id"])}" is ${kindOfValue(seed)}, not a number`;
}

export function episodeFault(episode: unknown): string | undefined {
  if (typeof episode !== "object" || episode === null) return `it gave ${kindOfValue(episode)}, not an episode`;
  const fields = episode as Readonly<Record<string, unknown>>;
  const missing = ["admissible", "step", "fork", "close"].find((name) => typeof fields[name] !== "function");
  if (missing !== undefined) return `"${missing}" is ${kindOfValue(fields[missing])}, not a function`;
  const { task, stateKey } = fields;
  if (typeof task !== "object" || task === null) return `"task" is ${kindOfValue(task)}, not the task`;
  if (typeof stateKey !== "string") return `"stateKey" is ${kindOfValue(stateKey)}, not a text`;
  return shownFault(fields);
}

export function resultFault(result: StepResult): string | undefined {
  if (typeof result !== "object" || result === null) return `the result is ${kindOfValue(result)}, not an object`;
  const { valid } = result as Readonly<Record<keyof StepResult, unknown>>;
  if (typeof valid !== "boolean") return `"valid" is ${kindOfValue(valid)}, not true or false`;
  return shownFault(result as unknown as Readonly<Record<string, unknown>>);
}

/** What a step's result and the episode itself both say. */
function shownFault({ observation, reward, ending, success }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof observation !== "string") return `the observation is ${kindOfValue(observation)}, not a text`;
  if (!isScore(reward)) {
    const found = isScored(reward) ? `scored(${String(reward.value)})` : kindOfValue(reward);
    return `the reward is ${found}, neither scored(a finite number) nor unscored(a reason)`;
  }
  if (!ENDINGS.includes(ending)) return `the ending is ${JSON.stringify(ending)}, which is none`;
  if (success === null || typeof success === "boolean") return undefined;
  return `success is ${kindOfValue(success)}, not true, false or null`;
}

function isScored(reward: unknown): reward is { readonly value: unknown } {
  return typeof reward === "object" && reward !== null && "kind" in reward && reward.kind === "scored";
}

function isScore(reward: unknown): boolean {
  if (isScored(reward)) return Number.isFinite(reward.value);
  return typeof reward === "object" && reward !== null && "kind" in reward && reward.kind === "unscored";
}
