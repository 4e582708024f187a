/** docs/lookup/generated/api.md: every public name by its door, with its signature in one line. */
import { oneLine, readDoors } from "./declarations.ts";
import { GENERATED } from "./markdown.ts";

export function apiPage(): string {
  const doors = readDoors().map(({ name: door, names }) => {
    const lines = [...names]
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([alias, declared]) => {
        const last = declared.at(-1);
        const line = last === undefined ? alias : oneLine(last.text);
        return last === undefined || alias === last.name ? line : `${alias} = ${line}`;
      });
    return [`## ${door}`, "", "```text", ...lines, "```"].join("\n");
  });
  return `${[
    GENERATED,
    "# Public names",
    "Every name of every door of the package. A change of this page is a change of the public surface.",
    ...doors,
  ].join("\n\n")}\n`;
}
