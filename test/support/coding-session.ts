/** A session of a coding agent as it is stored: its request, the calls of its tools and what they answered. */
import type { JsonObject } from "../../packages/base/src/base/json.ts";
import type { Step, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";
import { played } from "./played.ts";

export type Called = readonly [tool: string, given: JsonObject | string, answer?: string];

export interface SessionOptions {
  readonly goal: string;
  readonly success: boolean;
  readonly calls: readonly Called[];
  readonly cwd?: string;
  readonly format?: string;
}

export function codingSession(id: string, { goal, success, calls, ...about }: SessionOptions): Trajectory {
  const { cwd = `/home/${id}/shop`, format = "claude-code" } = about;
  const steps = calls.map(([name, given], at): [string, string, Partial<Step>] => {
    const answer = calls[at - 1]?.[2] ?? `answer ${at} of ${id}`;
    const toolCalls = [{ id: `c${at}`, name, arguments: given }];
    return [
      at === 0 ? goal : answer,
      name,
      {
        reply: { role: "assistant", content: "", toolCalls },
        ...(at === 0 ? {} : { messages: [{ role: "tool", content: answer }] }),
      },
    ];
  });
  const trajectory = played(id, success, steps);
  const task = { ...trajectory.task, id: `session ${goal}`, env: "chat", goal };
  return { ...trajectory, task, info: { session: { cwd, format, version: "1.0.0" } } };
}
