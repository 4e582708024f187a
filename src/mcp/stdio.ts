/** Over standard input and output, for agents that start their servers themselves. Nothing else may be printed there. */
import { optionalPart } from "../base/optional-part.ts";
import { createSkillServer, type SkillServerOptions } from "./skill-server.ts";

/** Serves until the other side goes or the signal fires. */
export async function serveOverStdio(options: SkillServerOptions, signal: AbortSignal): Promise<void> {
  const { StdioServerTransport } = await optionalPart("mcp", () => import("@modelcontextprotocol/sdk/server/stdio.js"));
  const server = await createSkillServer(options);
  const transport = new StdioServerTransport();
  await new Promise<void>((resolve, reject) => {
    process.stdin.once("end", resolve).once("close", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    server.connect(transport).catch(reject);
  });
  await server.close();
}
