/** Mcp: the tools of any MCP server as a world, with tasks from a file. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import { programTransport } from "../tools/mcp-transport.ts";
import { defineWorld, nonNull } from "limbeck-core/env/world";
import { createMcpWorld } from "./mcp-world.ts";
import { readTasks } from "./task-file.ts";

const count = { least: 1, whole: true } as const;

export const mcp = defineWorld({
  id: "mcp",
  info: { title: "MCP", meaning: "Does tasks of a file with the tools of any MCP server, started anew for each." },
  part: "mcp",
  options: {
    command: option.text(null, "the program that is the server; started without a shell"),
    args: option.list([], { kind: "text" }, "its arguments; {seed} and {task} become those of the task"),
    tasks: option.text(null, "file of tasks: one JSON object a line, with goal and check"),
    maxSteps: option.number(20, "steps until an episode is cut off", { ...count, most: 1_000 }),
    timeoutMs: option.limit(null, "time for starting and for one answer; none: 30 seconds", count),
    replayable: option.flag(
      false,
      "whether repeating the same calls is harmless and gives the same answers; then episodes can fork",
    ),
  },
  create: async ({ command, args, tasks, ...rest }) => {
    if (command === null || tasks === null) {
      throw new EngineError(
        "bad-options",
        `The world mcp needs ${command === null ? "a server: command=PROGRAM" : "tasks: tasks=FILE.jsonl"}.`,
      );
    }
    const connect = programTransport({ command, args });
    return createMcpWorld({ connect, tasks: await readTasks(tasks, "mcp"), ...nonNull(rest) });
  },
});
