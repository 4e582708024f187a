/**
 * Last step of the parity check: our methods on the same batches; prints the largest difference of each case and keeps
 * the result for docs/methods.md (then run `npm run docs`).
 *
 *     npx tsx bench/parity-credit/compare.ts FOLDER
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assignCredit, batchFromJson, getCredit } from "../../src/credit/index.ts";
import type { ParityCase } from "./cases.ts";

interface Batches {
  readonly cases: readonly ParityCase[];
  readonly batches: Readonly<Record<ParityCase["batches"], readonly { readonly rows: readonly unknown[] }[]>>;
}

interface Published {
  readonly sources: readonly { readonly name: string; readonly commit: string }[];
  /** By case: advantages by batch, row and token; null where the published code cannot run. */
  readonly results: Readonly<Record<string, readonly (readonly (readonly number[])[] | null)[]>>;
}

const LIMIT = 1e-4;
const folder = process.argv[2] ?? "parity";
const { cases, batches } = JSON.parse(await readFile(join(folder, "batches.json"), "utf8")) as Batches;
const { sources, results } = JSON.parse(await readFile(join(folder, "published.json"), "utf8")) as Published;

const compared = cases.flatMap((one) => {
  const theirs = results[one.name];
  if (theirs === undefined) return [];
  const credit = getCredit(one.method);
  let largestDifference = 0;
  let values = 0;
  for (const [at, json] of batches[one.batches].entries()) {
    const expected = theirs[at];
    if (expected === null || expected === undefined) continue;
    const { advantages } = assignCredit(credit, batchFromJson(json), one.options);
    for (const [row, tokens] of advantages.entries()) {
      for (const [token, value] of tokens.entries()) {
        const published = expected[row]?.[token] ?? Number.NaN;
        const difference = Math.abs(value - published) / Math.max(1, Math.abs(published));
        if (!(difference <= largestDifference)) largestDifference = difference;
        values += 1;
      }
    }
  }
  return [{ method: one.method, options: one.options, source: one.source, largestDifference, values }];
});

for (const { method, options, largestDifference, values } of compared) {
  const verdict = largestDifference <= LIMIT ? "" : "  DIFFERS";
  process.stdout.write(
    `${method.padEnd(30)} ${JSON.stringify(options).padEnd(110)} ${String(values).padStart(7)} values  ${largestDifference.toExponential(1)}${verdict}\n`,
  );
}
const report = {
  date: new Date().toISOString().slice(0, 10),
  batches: batches.masked.length,
  rows: batches.masked.reduce((sum, { rows }) => sum + rows.length, 0),
  sources,
  results: compared,
};
await writeFile(join(import.meta.dirname, "last-result.json"), `${JSON.stringify(report, null, 2)}\n`);
if (compared.some(({ largestDifference }) => !(largestDifference <= LIMIT))) process.exitCode = 1;
