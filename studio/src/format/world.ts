/** A world as trainings store it, with its options behind it as JSON, in words: "household (dial tiny)". */
export function worldText(stored: string): string {
  const [, name = stored, text] = /^(\S+)\s+(\{.*\})$/s.exec(stored) ?? [];
  if (text === undefined) return stored;
  try {
    const options = Object.entries(JSON.parse(text) as Record<string, unknown>);
    const words = options.map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`);
    return words.length === 0 ? name : `${name} (${words.join(", ")})`;
  } catch {
    return stored;
  }
}

/** A family of tasks in words: worlds write "pick_and_place". */
export function familyText(family: string): string {
  return family.replaceAll("_", " ");
}
