/**
 * What is asked of a world that somebody else wrote. It may answer at once where a promise is meant; what it throws, and what
 * is no answer, is named with the world, the method and the task. Nothing of it costs a promise where all is well.
 */
import { EngineError, errorData, isAbort } from "../base/index.ts";
import { kindOfValue } from "../base/parts/part.ts";
import type { Episode, StepResult } from "../env/env.ts";
import { episodeFault, resultFault } from "../env/world-faults.ts";
import type { Task } from "../trajectory/index.ts";

type Method = "open" | "step" | "fork" | "admissible" | "irreversible";

/** What it threw, with its name; the engine's own errors have one. */
export function worldError({ id, env }: Task, method: Method, error: unknown): unknown {
  if (error instanceof EngineError || isAbort(error)) return error;
  const said = error instanceof Error ? `${error.name}: ${error.message}` : `threw ${errorData(error).message}`;
  return new EngineError("world-failed", `The world "${env}" failed in ${method} of task "${id}": ${said}`, {
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
    return said instanceof Promise ? said.then((final) => final === true, named) : said === true;
  } catch (error) {
    return named(error);
  }
}
