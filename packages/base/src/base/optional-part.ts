/** Optional packages: peers that may be missing. Using a missing one throws with the way to install it. */
import { EngineError, errorCode } from "./errors.ts";
import { installCommand } from "./missing-packages.ts";
import { projectFolder } from "./own-place.ts";

export const OPTIONAL_PARTS = {
  fleet: { what: "A fleet", packages: ["bullmq", "ioredis"] },
  mcp: { what: "The Model Context Protocol", packages: ["@modelcontextprotocol/sdk"] },
  openenv: { what: "The OpenEnv protocol", packages: ["ws"] },
  shop: { what: "The world shop", packages: ["wink-nlp", "wink-eng-lite-web-model"] },
  suites: { what: "A contract suite", packages: ["fast-check"] },
} as const;

export type PartName = keyof typeof OPTIONAL_PARTS;

/** Calls `load`, which imports the packages of the part; where one is missing, the error names the command to type. */
export async function optionalPart<T>(name: PartName, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(errorCode(cause) ?? "")) throw cause;
    const { what, packages } = OPTIONAL_PARTS[name];
    const are = packages.length === 1 ? "which is" : "which are";
    const command = installCommand(packages);
    const message = `${what} needs ${packages.join(" and ")}, ${are} not installed here. In ${projectFolder()}:\n  ${command}`;
    throw new EngineError("package-missing", message, { details: { part: name, packages, command }, cause });
  }
}
