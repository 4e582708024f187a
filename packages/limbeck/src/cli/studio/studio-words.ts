/** What to type to see a store in the studio. */
import { relative } from "node:path";
import { typedCommand } from "../typed-command.ts";

/** `root` is the folder of runs; the default one need not be named. */
export function studioWords(root: string, cwd: string): string {
  const shown = relative(cwd, root) || ".";
  return typedCommand(["studio", ...(shown === "runs" ? [] : ["--store", shown])]);
}
