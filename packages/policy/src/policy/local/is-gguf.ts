/** What stands in the place of a model folder. */

import { statIfThere } from "limbeck-base/base/files";

export function isGguf(path: string): boolean {
  return path.toLowerCase().endsWith(".gguf");
}

/** A folder, or a GGUF file; what is in it is another question. */
export async function isModelPlace(path: string): Promise<boolean> {
  const found = await statIfThere(path);
  return found?.isDirectory() === true || (found?.isFile() === true && isGguf(path));
}
