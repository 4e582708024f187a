/** What a person types to run a command. */
import { isAbsolute, relative, sep } from "node:path";
import { startedInClone } from "limbeck-base/base/package-info";

/** A clone has no command of that name on the path yet. */
export function typedCommand(words: readonly string[]): string {
  const start = startedInClone() ? "npm run limbeck --" : "npx limbeck";
  return [start, ...words.map((word) => (/^[\w./:=@-]+$/.test(word) ? word : JSON.stringify(word)))].join(" ");
}

/** A path as it is typed; with a slash even where it is one word, which could be an id. */
export function typedPath(path: string, cwd: string): string {
  const near = relative(cwd, path).split(sep).join("/");
  return isAbsolute(near) || near.startsWith("../../../../src/") ? near : `./${near}`;
}
