/** Agent: a program that speaks to an OpenAI-compatible endpoint, with the policy as its model. */
import { resolve } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import { withoutUndefined } from "limbeck-base/base/fields";
import { defineWorld, nonNull } from "limbeck-core/env/world";
import { createAgentWorld } from "./agent-world.ts";
import { oneTask, readAgentTasks } from "./tasks.ts";

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
    goal: option.text(null, "one goal, in the place of a file of tasks"),
    folder: option.text(null, "a folder that is copied for every episode, to work in; none: an empty one"),
    cwd: option.text(null, "a folder to work in as it is, which all episodes share; none: a copy of folder"),
    input: option.flag(true, "whether the goal is given on standard input where no argument holds it"),
    check: option.list(
      [],
      { kind: "text" },
      "a program and its arguments that judge in the end: exit code 0 is success",
    ),
    taskChecks: option.flag(false, "whether a task of the file may name the program that judges it"),
    prepare: option.list(
      [],
      { kind: "text" },
      "a program and its arguments that make a folder ready before the agent starts",
    ),
    maxSteps: option.number(30, "questions until an episode is cut off", { ...count, most: 1_000 }),
    timeoutMs: option.limit(null, "time until the next question or the end; none: 60 seconds", count),
  },
  create: async ({ command, args, tasks, goal, check, taskChecks, prepare, folder, cwd, ...rest }) => {
    if (command === null) {
      throw new EngineError("bad-options", "The world agent needs a program: command=PROGRAM.");
    }
    if ((tasks === null) === (goal === null)) {
      throw new EngineError("bad-options", "The world agent needs tasks: tasks=FILE.jsonl, or one goal: goal=TEXT.");
    }
    const found = tasks === null ? oneTask(goal ?? "") : await readAgentTasks(tasks);
    const places = withoutUndefined({ folder: whole(folder), cwd: whole(cwd) });
    return createAgentWorld({ command, args, check, taskChecks, prepare, tasks: found, ...places, ...nonNull(rest) });
  },
});

function whole(path: string | null): string | undefined {
  return path === null ? undefined : resolve(path);
}
