/** docs/lookup/generated/searches.md: every search and every value, from the registries. */
import type { Method } from "../../packages/limbeck/src/cli/methods/all-methods.ts";
import { entrySection, overview } from "./entry-section.ts";
import { GENERATED } from "./markdown.ts";

export function searchesPage(searches: readonly Method[], values: readonly Method[]): string {
  return `${[
    GENERATED,
    "# Searches",
    `${searches.length} searches and ${values.length} values of unfinished episodes. How they work and how to write one: [search.md](../search.md). \`limbeck search --method NAME --set OPTION=VALUE --value NAME\` uses one, \`limbeck explain NAME\` prints one.`,
    overview("search", searches, []),
    "Values, from 0 (hopeless) to 1 (solved):",
    overview("value", values, []),
    ...searches.map((search) => entrySection(search)),
    "## Values",
    ...values.map((value) => entrySection(value)),
  ].join("\n\n")}\n`;
}
