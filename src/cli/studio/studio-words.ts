/** What to type to see a store in the studio. */
import { relative } from "node:path";

/** `root` is the folder of runs; the default one need not be named. */
export function studioWords(root: string, cwd: string): string {
  const shown = relative(cwd, root) || ".";
  // A clone has no command of that name on the path yet.
  const command = import.meta.url.endsWith(".ts") ? "npm run limbeck -- studio" : "npx limbeck studio";
  return shown === "runs" ? command : `${command} --store ${/^[\w./-]+$/.test(shown) ? shown : JSON.stringify(shown)}`;
}
