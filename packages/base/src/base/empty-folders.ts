/** Work that fails leaves no folders behind that it made for a result. */
import { existsSync } from "node:fs";
import { rmdir } from "node:fs/promises";
import { dirname } from "node:path";

/** The folders on the way to this one that are not there yet, itself included; the deepest first. */
export function foldersToCome(path: string): string[] {
  return existsSync(path) || dirname(path) === path ? [] : [path, ...foldersToCome(dirname(path))];
}

/** Takes them away, the deepest first, as far as nothing is in them. */
export async function dropEmpty([folder, ...above]: readonly string[]): Promise<void> {
  if (folder === undefined) return;
  // Not there, or something is in it: that is fine.
  const isGone = await rmdir(folder).then(
    () => true,
    () => !existsSync(folder),
  );
  if (isGone) await dropEmpty(above);
}
