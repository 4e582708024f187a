/** The last comparison with published code, as `bench/parity-credit/compare.ts` left it. */
import { readFileSync } from "node:fs";
import { cell, table } from "./markdown.ts";

export interface ParityReport {
  readonly date: string;
  readonly batches: number;
  readonly rows: number;
  readonly sources: readonly { readonly name: string; readonly commit: string }[];
  readonly results: readonly {
    readonly method: string;
    readonly options: Readonly<Record<string, unknown>>;
    readonly source: string;
    readonly largestDifference: number;
    readonly values: number;
  }[];
}

export function loadParity(): ParityReport | undefined {
  try {
    const text = readFileSync(new URL("../../bench/parity-credit/last-result.json", import.meta.url), "utf8");
    return JSON.parse(text) as ParityReport;
  } catch {
    return undefined;
  }
}

export function paritySection(report: ParityReport | undefined): string {
  const how =
    "Published estimators run beside ours on the same random batches; `bench/parity-credit/README.md` says how. Nothing of them is in this repository.";
  if (report === undefined) return `## Parity with published code\n\n${how} It has not been run yet.`;
  const sources = report.sources.map(({ name, commit }) => `${name} at \`${commit.slice(0, 12)}\``).join(", ");
  return [
    "## Parity with published code",
    `${how} Last run ${report.date}: ${report.batches} batches, ${report.rows} rows; ${sources}. Differences above 1e-8 are where their code casts to 32 bits: step returns, HGPO and bi-level GAE.`,
    table(
      ["method", "options", "published code", "values compared", "largest difference"],
      report.results.map((result) => [
        `\`${result.method}\``,
        cell(
          Object.entries(result.options)
            .map(([key, value]) => `${key}=${String(value)}`)
            .join(" ") || "defaults",
        ),
        cell(result.source),
        String(result.values),
        result.largestDifference.toExponential(1),
      ]),
    ),
  ].join("\n\n");
}
