/** What the package says about itself. */
import { readFileSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { isClone, projectFolder } from "./own-place.ts";

/** The version of all packages: that of the nearest package.json above this file that is one of ours, wherever it was built to. */
export function packageVersion(): string {
  return (version ??= readVersion());
}

let version: string | undefined;

function readVersion(): string {
  let place = new URL(".", import.meta.url);
  for (;;) {
    const found = versionAt(new URL("package.json", place));
    if (found !== undefined) return found;
    const above = new URL("..", place);
    if (above.href === place.href) return "unknown";
    place = above;
  }
}

/** Whether it was started in a clone, built or not: `npm run limbeck` starts it there. A project may depend on a clone and is none. */
export function startedInClone(): boolean {
  if (import.meta.url.endsWith(".ts")) return true;
  if (!isClone) return false;
  const way = relative(projectFolder(), process.cwd());
  return !way.startsWith("..") && !isAbsolute(way);
}

/** What to do where a file of the package is not in its place: a bundler takes the code and leaves the files behind. */
export function missingFileAdvice(): string {
  return packageVersion() === "unknown"
    ? "limbeck is part of a bundle here, without its files: keep it out of the bundle (esbuild: --external:limbeck) and install it beside it."
    : "Install limbeck again.";
}

function versionAt(file: URL): string | undefined {
  try {
    const parsed = JSON.parse(readFileSync(file, "utf8")) as { readonly name?: unknown; readonly version?: unknown };
    return /^limbeck(?:-|$)/.test(String(parsed.name)) && typeof parsed.version === "string"
      ? parsed.version
      : undefined;
  } catch {
    return undefined;
  }
}
