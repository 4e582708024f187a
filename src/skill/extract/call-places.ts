/** Values of a request inside what was done: a path with or without its line, a name inside the name of a file. */
import { escapeForPattern } from "./goal-shapes.ts";

/** "src/cart.ts:42" speaks of src/cart.ts. */
function withoutLine(value: string): string {
  return value.replace(/(?::\d+(?:[-:]\d+)*|#L\d+(?:-L?\d+)?)$/, "");
}

/** The text with the values of the request as its places, the longest first. */
export function placedText(text: string, values: readonly string[]): string {
  const known = values
    .flatMap((value, at) => formsOf(value).map((form) => ({ form, place: `{${at + 1}}` })))
    .filter(({ form }) => form !== "")
    .sort((one, other) => other.form.length - one.form.length);
  if (known.length === 0 || text === "") return text;
  // A path that ends in the value is the value: where it begins is the machine's.
  for (const { form, place } of known) {
    const isPath = /[/\\.]/.test(form);
    if (
      isPath &&
      /^(?:[/~]|[A-Za-z]:[\\/])\S*$/.test(text) &&
      text.replaceAll("\\", "/").endsWith(`/${form.replaceAll("\\", "/")}`)
    )
      return place;
  }
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${known.map(({ form }) => escapeForPattern(form)).join("|")})(?![\\p{L}\\p{N}])`,
    "gu",
  );
  return text.replaceAll(pattern, (found) => known.find(({ form }) => form === found)?.place ?? found);
}

/** Redacted values stand nowhere else as they were. */
function formsOf(value: string): string[] {
  const bare = withoutLine(value).replace(/^\.\//, "");
  return [...new Set([value, bare, bare.replaceAll("\\", "/")])];
}
