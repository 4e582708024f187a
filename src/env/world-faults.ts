/** What is wrong with what a world answered. The types say what is right, but a plain or foreign world may answer anything. */
import { kindOfValue } from "../base/parts/part.ts";
import type { Env, StepResult } from "./env.ts";

const ENDINGS: readonly unknown[] = [undefined, "terminated", "truncated", "failed"];

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
