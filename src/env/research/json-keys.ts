/** The keys of a JSON text's outermost object in the order they stand, repeated ones included. The text must be valid. */
export function* topLevelKeys(json: string): Generator<string> {
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/gs;
  let depth = 0;
  for (const match of json.matchAll(token)) {
    const text = match[0];
    if (text === "{" || text === "[") depth += 1;
    else if (text === "}" || text === "]") depth -= 1;
    else if (depth === 1 && /^\s*:/.test(json.slice(match.index + text.length, match.index + text.length + 64))) {
      yield String(JSON.parse(text));
    }
  }
}
