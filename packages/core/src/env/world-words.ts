/** A world with its options in words, for the terminal, the reports and the studio: "household (dial tiny)". */

/** A world as its name and its options. */
export function worldWords(name: string, options: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(options).map(
    ([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return words.length === 0 ? name : `${name} (${words.join(", ")})`;
}

/** A world as trainings store it, with its options behind it as JSON; what follows them stays as it is. */
export function storedWorldWords(stored: string): string {
  const [, name = stored, text, more = ""] = /^(\S+)\s+(\{.*\})(, noise [\d.]+)?$/s.exec(stored) ?? [];
  if (text === undefined) return stored;
  try {
    return `${worldWords(name, JSON.parse(text) as Record<string, unknown>)}${more}`;
  } catch {
    return stored;
  }
}
