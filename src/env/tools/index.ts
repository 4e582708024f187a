/** Tools: a shop's customer service, played with typed tools against a database, in the shape of τ-bench. */
import { z } from "zod";
import { EngineError } from "../../base/index.ts";
import type { World } from "../world.ts";
import { DEMONSTRATORS } from "./expert.ts";
import { MAX_USERS } from "./generate-database.ts";
import { mcpSessions } from "./mcp-session.ts";
import { stdioTransport } from "./mcp-transport.ts";
import { createTools } from "./tools-env.ts";

const OptionsSchema = z.strictObject({
  maxSteps: z.number().int().min(1).max(1_000).optional(),
  users: z.number().int().min(1).max(MAX_USERS).optional(),
  reward: z.enum(["exact", "partial"]).optional(),
  opening: z.enum(["full", "dialogue"]).optional(),
  server: z
    .strictObject({
      command: z.string().min(1),
      args: z.array(z.string()).optional(),
      timeoutMs: z.number().int().positive().optional(),
      replayable: z.boolean().optional(),
    })
    .optional(),
});

export const tools: World = {
  summary: "Serves a shop's customers with sixteen tools, by a policy, scored by the final database.",
  options: {
    maxSteps: "steps until a conversation is cut off (30)",
    users: "customers in a generated shop (64, at most 1,000)",
    reward: "exact (1 or 0) or partial (state, outputs and policy)",
    opening: "full (policy, tools, first words) or dialogue (first words only)",
    server: "an MCP server in place of the built-in tools: {command, args, timeoutMs, replayable}",
  },
  create: async (options = {}) => {
    const parsed = OptionsSchema.safeParse(options);
    if (!parsed.success) {
      throw new EngineError("bad-option", `Options of tools: ${z.prettifyError(parsed.error)}`, {
        details: { known: Object.keys(tools.options) },
      });
    }
    return createTools(createOptions(parsed.data));
  },
  demonstrators: DEMONSTRATORS,
};

function createOptions({ server, ...rest }: z.infer<typeof OptionsSchema>): Parameters<typeof createTools>[0] {
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  if (server === undefined) return given;
  const { command, args = [], timeoutMs, replayable = false } = server;
  const session = mcpSessions({
    connect: stdioTransport({ command, args }),
    replayable,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return { ...given, session };
}

export { Database } from "./database.ts";
export { DEMONSTRATORS } from "./expert.ts";
export { generateShop, type ShopSeed } from "./generate-database.ts";
export { serveShop } from "./mcp-server.ts";
export type { McpOptions, McpTransport } from "./mcp-options.ts";
export { mcpSessions } from "./mcp-session.ts";
export { shopTransport, stdioTransport, type StdioServer } from "./mcp-transport.ts";
export { POLICY_RULES, POLICY_TEXT, type PolicyRule } from "./policy.ts";
export { policyViolations, type FoundViolation } from "./policy-replay.ts";
export { ScenarioSchema, type Scenario } from "./scenario.ts";
export { TOOL_DEFINITIONS } from "./toolbox.ts";
export { createTools, scenarioTask, type ToolsOptions } from "./tools-env.ts";
