/** The official SDK, loaded when it is used: it is an optional package, and large. */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type * as Types from "@modelcontextprotocol/sdk/types.js";
import { EngineError } from "../base/index.ts";

export async function loadServer(): Promise<{ readonly Server: typeof Server; readonly types: typeof Types }> {
  return await orMissing(async () => {
    const [server, types] = await Promise.all([
      import("@modelcontextprotocol/sdk/server/index.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
    return { Server: server.Server, types };
  });
}

export async function orMissing<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new EngineError(
      "package-missing",
      'Serving skills over MCP needs the package "@modelcontextprotocol/sdk", which is not installed: npm install @modelcontextprotocol/sdk.',
      { cause },
    );
  }
}
