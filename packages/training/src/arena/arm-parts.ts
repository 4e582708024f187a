/** Files of parts, as an arena hands them to the processes that it starts: a plan names no files, the starting process does. */
import { loadParts } from "limbeck-base/base/parts/load-part";
import { loadedParts } from "limbeck-base/base/parts/part";

const FLAG = "--parts=";

/** The words that say which files are loaded here. */
export function partWords(): string[] {
  const parts = loadedParts();
  return parts.length === 0 ? [] : [FLAG + JSON.stringify(parts)];
}

/** Whether any file is to be loaded. */
export function namesParts(words: readonly string[]): boolean {
  return words.some((one) => one.startsWith(FLAG));
}

/** Loads what the words say; refuses a file that has changed since. */
export async function loadGivenParts(words: readonly string[]): Promise<void> {
  for (const word of words.filter((one) => one.startsWith(FLAG))) {
    await loadParts(JSON.parse(word.slice(FLAG.length)) as ReturnType<typeof loadedParts>);
  }
}
