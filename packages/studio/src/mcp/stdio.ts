/** Over standard input and output, for agents that start their servers themselves. Nothing else may be printed there. */
import { optionalPart } from "limbeck-base/base/optional-part";
import { createSkillServer, type SkillServerOptions } from "./skill-server.ts";

/**
 * Serves until the other side goes or the signal fires.
 *
 * @example
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { openLibrary } from "limbeck/skill";
 *
 * const ending = new AbortController();
 * const served = serveOverStdio({ library: openLibrary(join(tmpdir(), "limbeck-no-skills")), version: "1" }, ending.signal);
 * ending.abort();
 * console.log(await served); // undefined
 */
export async function serveOverStdio(options: SkillServerOptions, signal: AbortSignal): Promise<void> {
  const { StdioServerTransport } = await optionalPart("mcp", () => import("@modelcontextprotocol/sdk/server/stdio.js"));
  const server = await createSkillServer(options);
  const transport = new StdioServerTransport();
  await new Promise<void>((resolve, reject) => {
    // It may have fired while the SDK was loading, and would not fire again.
    if (signal.aborted) return resolve();
    process.stdin.once("end", resolve).once("close", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    server.connect(transport).catch(reject);
  });
  await server.close();
}
