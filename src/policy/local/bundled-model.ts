/** Where the model that comes with the package lies. */
import { fileURLToPath } from "node:url";

/** A small instruction follower for the household world; its README.md is its card. */
export function bundledModelPath(): string {
  // The same number of folders above the built file and above this one.
  return fileURLToPath(new URL("../../../models/household", import.meta.url));
}
