/** docs/searches.md: every search and every value, from the registries. */
import type { SearchDefinition, ValueDefinition } from "../../src/search/index.ts";
import { cell, GENERATED, table } from "./markdown.ts";
import { methodSection } from "./strategies-page.ts";

export function searchesPage(
  searches: Readonly<Record<string, SearchDefinition>>,
  values: Readonly<Record<string, ValueDefinition>>,
): string {
  return `${[
    GENERATED,
    "# Searches",
    `${Object.keys(searches).length} searches and ${Object.keys(values).length} values of unfinished episodes. How they work and how to write one: [search.md](search.md). \`limbeck search --method NAME --set OPTION=VALUE --value NAME\` uses one, \`limbeck explain NAME\` prints one.`,
    overview("search", searches),
    "Values, from 0 (hopeless) to 1 (solved):",
    overview("value", values),
    ...Object.entries(searches).map(([id, search]) => methodSection(id, search, `src/search/${id}.ts`)),
    "## Values",
    ...Object.entries(values).map(([id, value]) => methodSection(id, value, `src/search/values/${id}.ts`)),
  ].join("\n\n")}\n`;
}

function overview(kind: string, entries: Readonly<Record<string, Pick<SearchDefinition, "info">>>): string {
  return table(
    [kind, "follows", "meaning", "paper"],
    Object.entries(entries).map(([id, { info }]) => [
      `[\`${id}\`](#${id})`,
      info.confidence,
      cell(info.meaning),
      cell(info.paper),
    ]),
  );
}
