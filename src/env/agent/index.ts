/** Agent: a program that speaks to an OpenAI-compatible endpoint, with the policy as its model. */
import { resolve } from "node:path";
import { EngineError, option } from "../../base/index.ts";
import { defineWorld, given } from "../world.ts";
import { createAgentWorld } from "./agent-world.ts";
import { readAgentTasks } from "./tasks.ts";

const count = { least: 1, whole: true } as const;
export const agent = defineWorld({
  id: "agent",
  info: {
    title: "Agent",
    meaning: "Runs an agent's own program for each task, unchanged; the policy is the model that it asks.",
  },
  options: {
    command: option.text(null, "the agent's program; started without a shell"),
    args: option.list([], { kind: "text" }, "its arguments; {goal}, {task} and {seed} become those of the task"),
    tasks: option.text(null, "file of tasks: one JSON object a line, with goal"),
    folder: option.text(null, "a folder that is copied for every episode, to work in; none: an empty one"),
    check: option.list(
      [],
      { kind: "text" },
      "a program and its arguments that judge in the end: exit code 0 is success",
    ),
    maxSteps: option.number(30, "questions until an episode is cut off", { ...count, most: 1_000 }),
    timeoutMs: option.limit(null, "time until the next question or the end; none: 60 seconds", count),
  },
  create: async ({ command, args, tasks, check, folder, ...rest }) => {
    if (command === null || tasks === null) {
      throw new EngineError(
        "bad-options",
        `The world agent needs ${command === null ? "a program: command=PROGRAM" : "tasks: tasks=FILE.jsonl"}.`,
      );
    }
    const place = folder === null ? {} : { folder: resolve(folder) };
    return createAgentWorld({ command, args, check, tasks: await readAgentTasks(tasks), ...place, ...given(rest) });
  },
});

export { createAgentWorld, type AgentWorldOptions } from "./agent-world.ts";
