/** Runs every command line of the pages at its smallest: `npm run docs:snippets`; `-- search.md` takes one page. */
import { fileURLToPath } from "node:url";
import { readersPages } from "../test/support/doc-examples.ts";
import { pageCommands } from "./docs/page-commands.ts";
import { runPage } from "./docs/run-snippets.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const wanted = process.argv.slice(2);
const pages = readersPages(root).filter(
  (page) => wanted.length === 0 || wanted.some((name) => page === name || page.endsWith(`/${name}`)),
);
/** Pages that a test types from beginning to end, with the files they speak of; of examples in help, names and values. */
const TESTED: Readonly<Record<string, string>> = {
  "docs/lookup/generated/cli.md": "test/docs-commands.test.ts, which checks names, options and choices",
  "docs/learn/new-world.md": "test/new-world.nightly.test.ts",
  "docs/learn/ten-minutes.md": "test/ten-minutes.system.test.ts",
};
const counts = { ran: 0, "not run": 0, failed: 0 };
const reasons = new Map<string, number>();
for (const page of pages) {
  const lines = pageCommands(root, page).filter(({ words }) => words !== undefined);
  if (lines.length === 0) continue;
  const test = TESTED[page];
  if (test !== undefined) {
    counts["not run"] += lines.length;
    reasons.set(`${page} has ${test}`, lines.length);
    continue;
  }
  for await (const [{ line }, outcome] of runPage(lines)) {
    counts[outcome.kind] += 1;
    if (outcome.kind === "ran") process.stdout.write(`ran      ${page}: ${line}\n`);
    if (outcome.kind === "failed") process.stdout.write(`failed   ${page}: ${line}\n         ${outcome.why}\n`);
    if (outcome.kind === "not run") reasons.set(outcome.why, (reasons.get(outcome.why) ?? 0) + 1);
  }
}
process.stdout.write(`${counts.ran} ran, ${counts.failed} failed, ${counts["not run"]} not run:\n`);
for (const [why, count] of [...reasons].toSorted(([, left], [, right]) => right - left)) {
  process.stdout.write(`  ${String(count).padStart(3)}  ${why}\n`);
}
if (counts.failed > 0) process.exitCode = 1;
