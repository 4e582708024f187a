/**
 * Last step of the parity check: ours on the same batches; prints the largest difference of each case and keeps the
 * result for docs/evidence/generated/parity.md (then run `npm run docs`).
 *
 *     npx tsx research/bench/parity-credit/compare.ts FOLDER
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ParityCase } from "./cases.ts";
import type { FunctionCase, ObjectiveCase } from "./objective-cases.ts";
import type { ObjectiveRow } from "./objective-rows.ts";
import { compareCredit, compareFunction, compareObjective } from "./ours.ts";
import type { Advantages, Difference, Losses } from "./ours.ts";

interface Batches {
  readonly cases: readonly ParityCase[];
  readonly batches: Readonly<Record<ParityCase["batches"], readonly unknown[]>>;
  readonly objectives: readonly ObjectiveCase[];
  readonly rows: readonly { readonly rows: readonly ObjectiveRow[] }[];
  readonly functions: readonly FunctionCase[];
}

interface Published {
  readonly sources: Readonly<Record<string, { readonly repository: string; readonly commit: string }>>;
  readonly results: Readonly<Record<string, unknown>>;
}

const LIMIT = 1e-4;
const folder = process.argv[2] ?? "parity";
const made = JSON.parse(await readFile(join(folder, "batches.json"), "utf8")) as Batches;
const { sources, results } = JSON.parse(await readFile(join(folder, "published.json"), "utf8")) as Published;

/** Nothing where the published half did not run the case. */
function compared<Case extends ParityCase | ObjectiveCase | FunctionCase>(
  cases: readonly Case[],
  room: string,
  difference: (one: Case, published: never) => Difference,
) {
  return cases.flatMap((one) => {
    const published = results[one.name];
    const source = sources[one.checkout];
    if (published === undefined || source === undefined) return [];
    return {
      room,
      method: "objective" in one ? one.objective : one.method,
      options: one.options,
      ...source,
      function: one.function,
      remark: "remark" in one ? (one.remark ?? "") : "",
      ...difference(one, published as never),
    };
  });
}

const all = [
  ...compared(made.cases, "credit", (one, published: Advantages) =>
    compareCredit(one, made.batches[one.batches], published),
  ),
  ...compared(made.objectives, "objective", (one, published: Losses) => compareObjective(one, made.rows, published)),
  ...compared(made.functions, "function", (one, published: readonly number[]) => compareFunction(one, published)),
];
for (const { method, options, largestDifference, rows } of all) {
  const verdict = largestDifference <= LIMIT ? "" : "  DIFFERS";
  process.stdout.write(
    `${method.padEnd(30)} ${JSON.stringify(options).padEnd(110)} ${String(rows).padStart(6)} rows  ${largestDifference.toExponential(1)}${verdict}\n`,
  );
}
const report = { date: new Date().toISOString().slice(0, 10), batches: made.rows.length, results: all };
await writeFile(join(import.meta.dirname, "last-result.json"), `${JSON.stringify(report, null, 2)}\n`);
if (all.some(({ largestDifference }) => !(largestDifference <= LIMIT))) process.exitCode = 1;
