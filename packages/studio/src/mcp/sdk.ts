/** The official SDK, loaded when it is used: it is an optional package, and large. */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type * as Types from "@modelcontextprotocol/sdk/types.js";
import { optionalPart } from "limbeck-base/base/optional-part";

export async function loadServer(): Promise<{ readonly Server: typeof Server; readonly types: typeof Types }> {
  return await optionalPart("mcp", async () => {
    const [server, types] = await Promise.all([
      import("@modelcontextprotocol/sdk/server/index.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
    return { Server: server.Server, types };
  });
}
