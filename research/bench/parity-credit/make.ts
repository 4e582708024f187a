/**
 * First step of the parity check: writes random batches and the lists of cases.
 *
 *     npx tsx research/bench/parity-credit/make.ts FOLDER
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BATCH_KINDS, CASES } from "./cases.ts";
import { FUNCTION_CASES, OBJECTIVE_CASES } from "./objective-cases.ts";
import { objectiveRows } from "./objective-rows.ts";
import { batchesOf } from "./random-kinds.ts";

const BATCHES = 60;
const folder = process.argv[2] ?? "parity";

const made = Array.from({ length: BATCHES }, (_, seed) => batchesOf(seed));
const batches = Object.fromEntries(BATCH_KINDS.map((kind) => [kind, made.map((one) => one[kind])]));
const rows = Array.from({ length: BATCHES }, (_, seed) => objectiveRows(seed));
const content = { cases: CASES, batches, objectives: OBJECTIVE_CASES, rows, functions: FUNCTION_CASES };
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "batches.json"), JSON.stringify(content));
process.stdout.write(`Wrote ${join(folder, "batches.json")}. Next: published.py, then compare.ts.\n`);
