/** How a broken promise of an environment is told: what differed, in which task, after which actions. */
import { EngineError } from "../base/index.ts";
import type { Task } from "../trajectory/index.ts";
import type { Env } from "./env.ts";

interface Subject {
  readonly env: Env;
}

export function expectSame(
  subject: Subject,
  task: Task,
  actions: readonly string[],
  what: string,
  got: unknown,
  wanted: unknown,
): void {
  const [left, right] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (left === right) return;
  let at = 0;
  while (left[at] === right[at]) at += 1;
  const near = (text: string): string => text.slice(Math.max(0, at - 60), at + 120);
  fail(subject, task, actions, `${what} differs: got …${near(left)}…, expected …${near(right)}….`);
}

export function fail(subject: Subject, task: Task, actions: readonly string[], what: string): never {
  const path = actions.length === 0 ? "" : ` After: ${actions.map(shown).join(", ")}.`;
  throw new EngineError("env-contract", `${label(subject, task)} breaks the contract. ${what}${path}`, {
    details: { env: subject.env.id, task: task.id, actions },
  });
}

export function label(subject: Subject, task: Task): string {
  return `Environment "${subject.env.id}", task "${task.id}",`;
}

/** Short, and with control characters made visible. */
export function shown(action: string): string {
  const text = JSON.stringify(action);
  return text.length <= 60 ? text : `${text.slice(0, 57)}…" (${action.length} characters)`;
}
