/** Tools: a shop's customer service, played with typed tools against a database, in the shape of τ-bench. */
import { option } from "limbeck-base/base/option";
import { defineWorld } from "limbeck-core/env/world";
import { DEMONSTRATORS } from "./expert.ts";
import { MAX_USERS } from "./generate-database.ts";
import { mcpSessions } from "./mcp-session.ts";
import { stdioTransport } from "./mcp-transport.ts";
import { createTools } from "./tools-env.ts";

export const tools = defineWorld({
  id: "tools",
  info: {
    title: "Tools",
    meaning: "Serves a shop's customers with sixteen tools, by a policy, scored by the final database.",
  },
  options: {
    maxSteps: option.number(30, "steps until a conversation is cut off", { least: 1, most: 1_000, whole: true }),
    users: option.limit(null, "customers in a generated shop; none: 64", { least: 1, most: MAX_USERS, whole: true }),
    reward: option.choice("exact", ["exact", "partial"], "exact (1 or 0) or partial (state, outputs and policy)"),
    opening: option.choice("dialogue", ["full", "dialogue"], "policy, tools and first words, or first words only"),
    server: {
      kind: "table",
      default: null,
      meaning: "an MCP server in place of the built-in tools",
      fields: {
        command: { kind: "text", meaning: "the program" },
        args: option.list([], { kind: "text" }, "its arguments"),
        timeoutMs: option.limit(null, "time for one answer", { least: 1, whole: true }),
        replayable: option.flag(false, "whether repeating the same calls is harmless and gives the same answers"),
      },
    },
  },
  create: ({ server, users, ...others }) => {
    // Tasks name the size of a shop only where it was asked for.
    const rest = { ...others, ...(users === null ? {} : { users }) };
    if (server === null) return createTools(rest);
    const { command, args, timeoutMs, replayable } = server;
    const limit = timeoutMs === null ? {} : { timeoutMs };
    return createTools({
      ...rest,
      session: mcpSessions({ connect: stdioTransport({ command, args }), replayable, ...limit }),
    });
  },
  demonstrators: DEMONSTRATORS,
});
