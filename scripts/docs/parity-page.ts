/** docs/evidence/generated/parity.md: the last comparison with published code, as `research/bench/parity-credit/compare.ts` left it. */
import { readFileSync } from "node:fs";
import type { Method } from "../../packages/limbeck/src/cli/methods/all-methods.ts";
import { publishedNames } from "../../test/support/published.ts";
import { cell, GENERATED, table } from "./markdown.ts";
import { NONE_FOUND, NOT_COMPARED } from "./parity-reasons.ts";

interface ParityResult {
  readonly room: string;
  readonly method: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly repository: string;
  readonly commit: string;
  readonly function: string;
  readonly remark: string;
  readonly largestDifference: number;
  readonly rows: number;
}

export interface ParityReport {
  readonly date: string;
  readonly batches: number;
  readonly results: readonly ParityResult[];
}

export function loadParity(): ParityReport {
  const text = readFileSync(new URL("../../research/bench/parity-credit/last-result.json", import.meta.url), "utf8");
  return JSON.parse(text) as ParityReport;
}

const ROOMS: readonly (readonly [string, string, string])[] = [
  ["credit", "Credit methods", "Advantages, token by token."],
  ["objective", "Objectives", "The loss and its gradient at every token; theirs by automatic differentiation."],
  ["function", "Functions of numbers", "A row is an input."],
];

export function parityPage(methods: readonly Method[], report: ParityReport): string {
  const compared = new Set(report.results.map(({ method }) => method));
  const commits = new Map(report.results.map(({ repository, commit }) => [repository, commit]));
  const other = methods.filter(({ id }) => !compared.has(id));
  return `${[
    GENERATED,
    "# Parity with published code",
    `Published code runs beside ours on the same random batches, and the largest difference is kept, relative where values are above 1. Nothing of that code is in this repository; \`research/bench/parity-credit/README.md\` says how it is called. Last run ${report.date}, ${report.batches} batches, 64-bit floats: ${report.results.length} comparisons, ${methods.length - other.length} of ${methods.length} methods.`,
    [
      "```sh",
      "npx tsx research/bench/parity-credit/make.ts FOLDER",
      "python3 research/bench/parity-credit/published.py FOLDER --checkouts CHECKOUTS",
      "npx tsx research/bench/parity-credit/compare.ts FOLDER",
      "```",
    ].join("\n"),
    ...ROOMS.flatMap(([room, title, about]) => [`## ${title}`, about, results(report, room)]),
    "## Repositories",
    table(
      ["repository", "commit"],
      [...commits]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([repository, commit]) => [cell(repository), `\`${commit.slice(0, 12)}\``]),
    ),
    "## Not compared",
    "Published code that cannot be called alone is named. *No code found*: it was looked for, by the name of the method and of its paper, on the day of the run. *Not looked for*: nobody has looked.",
    table(
      ["method", "room", "why"],
      other.map(({ id, room }) => [`\`${id}\``, room, cell(whyNot(id))]),
    ),
  ].join("\n\n")}\n`;
}

const PUBLISHED = new Set(publishedNames());

function whyNot(id: string): string {
  if (PUBLISHED.has(id)) return `its own test compares numbers of published code (test/published/${id}.json)`;
  return NOT_COMPARED[id] ?? (NONE_FOUND.has(id) ? "no code found" : "not looked for");
}

function results(report: ParityReport, room: string): string {
  return table(
    ["method", "options", "repository", "function", "rows", "largest difference", "remarks"],
    report.results
      .filter((result) => result.room === room)
      .map((result) => [
        `\`${result.method}\``,
        cell(optionText(result.options)),
        cell(`${result.repository} at ${result.commit.slice(0, 7)}`),
        cell(result.function),
        String(result.rows),
        result.largestDifference.toExponential(1),
        cell(result.remark),
      ]),
  );
}

function optionText(options: Readonly<Record<string, unknown>>): string {
  const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
  return (
    Object.entries(options)
      .map(([key, value]) => `${key}=${text(value)}`)
      .join(" ") || "defaults"
  );
}
