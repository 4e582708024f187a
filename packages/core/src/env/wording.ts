/** Sentences with places for words: "They go to {place}." One table writes them and reads them back. */

/** The sentence with its places filled. */
export function writeWording(wording: string, values: Readonly<Record<string, string>> = {}): string {
  const text = wording.replaceAll(/\{(\w+)\}/g, (_, slot: string) => values[slot] ?? "");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What stands in the places of a sentence; undefined for one of another wording. */
export function readWording(wording: string, text: string): Readonly<Record<string, string>> | undefined {
  const pattern = wording.replaceAll(/[.?!()*+^$|\\[\]]/g, "\\$&").replaceAll(/\{(\w+)\}/g, "(?<$1>.+?)");
  const match = new RegExp(`^${pattern}$`, "i").exec(text);
  return match === null ? undefined : { ...match.groups };
}
