/** The models that come with the package. */
import { fileURLToPath } from "node:url";

/** The folder of a bundled model; `household` is a small instruction follower for that world. */
export function bundledModel(name: "household"): string {
  // Sources and built files lie equally deep below the package's root.
  return fileURLToPath(new URL(`../../../models/${name}`, import.meta.url));
}
