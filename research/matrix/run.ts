/**
 * The matrix: every registered recipe, credit method, objective, strategy and reward in a small training.
 *
 *     npm run matrix                        what is missing, one after the other
 *     npm run matrix -- credit/gigpo reward --jobs 4
 *     npm run matrix -- --list
 *     npm run matrix -- --quick             one update of every line: none may fail; nothing is kept
 *     npm run matrix -- --page              only write the page from the results that are there
 *     npm run matrix -- claims              only the claims of the catalogue that are too slow for every `npm test`
 *
 * Results lie one file a line below --out; a line whose result is there or in docs/evidence/generated/matrix.json, of the same setting, is not
 * run again. --again runs it nevertheless.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mapLimit } from "../../packages/base/src/base/concurrency.ts";
import { UPDATES, type Line } from "./line.ts";
import { lines } from "./lines.ts";
import { writePage } from "./page.ts";
import { settingOf, type LineResult } from "./run-line.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: "string", default: "1" },
    list: { type: "boolean", default: false },
    model: { type: "string", default: "packages/household-model" },
    out: { type: "string", default: "runs/matrix" },
    page: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    again: { type: "boolean", default: false },
  },
});

const CLAIMS = "claims";

/** By full id, or by kind. */
const chosen = lines.filter(
  ({ id, kind }) => positionals.length === 0 || positionals.includes(id) || positionals.includes(kind),
);
const unknown = positionals.filter(
  (name) => name !== CLAIMS && !lines.some(({ id, kind }) => id === name || kind === name),
);
if (unknown.length > 0) throw new Error(`No line or kind ${unknown.join(", ")}; npm run matrix -- --list names them.`);

const updates = values.quick ? 1 : UPDATES;
const out = values.quick ? await mkdtemp(join(tmpdir(), "limbeck-matrix-")) : values.out;
const checksClaims = !values.list && !values.page && (positionals.length === 0 || positionals.includes(CLAIMS));
const fileOf = ({ id }: Line): string => join(out, `${id}.json`);

const committed = new Map(
  (
    JSON.parse(
      await readFile(new URL("../../docs/evidence/generated/matrix.json", import.meta.url), "utf8"),
    ) as LineResult[]
  ).map((result) => [result.line, result]),
);

/** What was run here, else what the page has. */
async function resultOf(line: Line, known = committed): Promise<LineResult | undefined> {
  const text = await readFile(fileOf(line), "utf8").catch(() => undefined);
  const result = text === undefined ? known.get(line.id) : (JSON.parse(text) as LineResult);
  return result?.setting === settingOf(line, updates) ? result : undefined;
}

/** Runs a program of the repository and waits for its exit code. */
async function runProgram(program: URL, words: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, ["--import", "tsx", fileURLToPath(program), ...words], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  return await new Promise<number | null>((done) => child.on("close", done));
}

async function run(line: Line): Promise<boolean> {
  if ((await resultOf(line, values.again ? new Map() : committed)) !== undefined) return true;
  const code = await runProgram(new URL("line-process.ts", import.meta.url), [
    line.id,
    fileOf(line),
    values.model,
    String(updates),
  ]);
  const result = await resultOf(line);
  const said =
    result?.failure === null
      ? `${result.seconds.toFixed(1)} s`
      : `failed: ${result?.failure?.message ?? `process ${code}`}`;
  process.stdout.write(`${line.id}  ${said}\n`);
  return result?.failure === null;
}

if (values.list) {
  for (const { id, env, recipe, credit, strategy, supplied } of chosen) {
    process.stdout.write(`${id.padEnd(36)} ${env}, ${recipe}, credit ${credit}, ${strategy}; ${supplied}\n`);
  }
} else if (values.quick) {
  const passed = await mapLimit(chosen, Number(values.jobs), run);
  const failed = passed.filter((one) => !one).length;
  process.stdout.write(`${chosen.length} lines, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
  await rm(out, { recursive: true, force: true });
} else if (values.page || chosen.length > 0) {
  if (!values.page) await mapLimit(chosen, Number(values.jobs), run);
  const results = (await Promise.all(lines.map((line) => resultOf(line)))).filter((result) => result !== undefined);
  await writePage(results, lines.length);
}

if (checksClaims) {
  const code = await runProgram(new URL("../../scripts/check-claims.ts", import.meta.url), []);
  if (code !== 0) process.exitCode = 1;
}
