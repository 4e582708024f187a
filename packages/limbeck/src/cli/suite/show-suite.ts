/** A suite for people: the list of suites, the report as Markdown, and how it ended. */
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatDuration } from "limbeck-base/base/units";
import type { SuiteShows } from "../../run/suite.inputs.ts";
import type { Invocation } from "../command.ts";
import { printTable } from "../look/table.ts";

export function showSuite(invocation: Invocation): SuiteShows {
  const { print, style } = invocation;
  return {
    list: (suites) => {
      const rows = suites.map(({ id, meaning, from }) => [id, meaning, from ?? "comes with Limbeck"]);
      printTable(
        invocation,
        ["suite", "what it asks", "from"].map((title) => ({ title })),
        rows,
      );
    },
    report: (text) => {
      for (const line of text.split("\n")) print(line);
    },
    end: ({ milliseconds, out, ok }) => {
      const mark = ok ? style.green("✓") : style.red("✗ less than --least");
      const written = out === undefined ? "" : `, report in ${style.cyan(cleanLine(out))}`;
      print(`${mark} ${formatDuration(milliseconds)}${written}`);
    },
  };
}
