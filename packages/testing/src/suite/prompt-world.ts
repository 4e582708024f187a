/** Questions of one answer as a world, for every policy that plays worlds. It keeps the answer; a grader judges it later. */
import { EngineError } from "limbeck-base/base/errors";
import { isObject, type JsonObject } from "limbeck-base/base/json";
import type { Env, OwnRequest } from "limbeck-core/env/env";
import { episodeOf } from "limbeck-core/env/episode-of";
import type { Demonstrator } from "limbeck-core/env/expert";
import { listedTasks } from "limbeck-core/env/task-file";
import { scored } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { SuiteItem } from "./item.ts";

export const PROMPT_WORLD = "prompt";

export function promptEnv(items: readonly Pick<SuiteItem, "task">[]): Env {
  const tasks = items.map(({ task }) => task);
  return {
    id: PROMPT_WORLD,
    summary: "Questions of a suite, one answer each.",
    maxSteps: 1,
    ...listedTasks(PROMPT_WORLD, { suite: tasks }),
    open: (task) => {
      const tools = toolsOf(task);
      const request: OwnRequest = {
        messages: [{ role: "user", content: task.goal }],
        tools: tools.map(named),
        settings: {},
      };
      return Promise.resolve(
        episodeOf<string | undefined>(task, undefined, {
          observation: (answer) => (answer === undefined ? questionText(task, tools) : ""),
          stateKey: (answer) => `${task.id} ${answer === undefined ? "asked" : "answered"}`,
          ending: (answer) => (answer === undefined ? undefined : "terminated"),
          reward: () => scored(0),
          success: () => null,
          request: () => (tools.length === 0 ? undefined : request),
          step: (_, answer) => ({ state: answer, valid: true, reward: scored(0) }),
        }),
      );
    },
  };
}

/** What a policy reads that speaks in texts: the functions stand below the question. */
function questionText({ goal }: Task, tools: readonly JsonObject[]): string {
  if (tools.length === 0) return goal;
  const form = '[{"name": "…", "arguments": {…}}, …]';
  return `${goal}\n\nFunctions:\n${tools.map((tool) => JSON.stringify(tool)).join("\n")}\n\nAnswer with calls as JSON, ${form}, or in words where none fits.`;
}

/** Chat services allow no dots in names; the grader of calls takes "_" for them. */
function named(tool: JsonObject): JsonObject {
  return typeof tool["name"] === "string" ? { ...tool, name: tool["name"].replaceAll(".", "_") } : tool;
}

function toolsOf({ data }: Task): readonly JsonObject[] {
  const tools = data?.["tools"];
  return Array.isArray(tools) ? tools.filter(isObject) : [];
}

/** Who answers by script: with the set's own solutions, or with nothing. */
export function promptScripts(items: readonly SuiteItem[]): Readonly<Record<string, Demonstrator>> {
  const solutions = new Map(items.map(({ task, from }) => [task.id, from.solution]));
  const perfect: Demonstrator = {
    id: "perfect",
    summary: "Gives the answers of the suite.",
    start: ({ id }) => ({
      next: () => {
        const solution = solutions.get(id);
        if (solution !== undefined) return solution;
        throw new EngineError("needs-unmet", `The task ${id} has no solution, so that nobody can be perfect in it.`);
      },
    }),
  };
  return { perfect, empty: silent };
}

/** Does nothing: the floor of every suite. */
export const silent: Demonstrator = {
  id: "empty",
  summary: "Says nothing.",
  start: () => ({ next: () => "" }),
};
