/** The command line of this clone as a program: `node COMMAND_LINE words…`. It compiles what changed, once for all. */
import { fileURLToPath } from "node:url";

export const COMMAND_LINE = fileURLToPath(new URL("../../scripts/limbeck.mjs", import.meta.url));
