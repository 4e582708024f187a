/**
 * The middle step of the parity check of adapters: reads what PEFT wrote (`adapter.py make`), compares, and writes the
 * adapter anew for the way back (`adapter.py verify`).
 *
 *     npx tsx bench/parity/adapter.ts OUT
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readAdapter, saveAdapter } from "../../src/policy/local/adapter-files.ts";
import { openModel } from "../../src/policy/local/open-model.ts";

const LIMIT = 1e-4;

interface Expected {
  readonly rows: readonly (readonly number[])[];
  readonly logprobs: readonly (readonly number[])[];
}

const out = process.argv[2] ?? "parity";
const expected = JSON.parse(await readFile(join(out, "rows.json"), "utf8")) as Expected;
const adapter = await readAdapter(join(out, "adapter"));
const model = await openModel(join(out, "base"), { adapter, threads: 1 });
const scored = await model.score(expected.rows.map((row) => ({ ids: Int32Array.from(row) })));
await model.close();
await saveAdapter(join(out, "written"), adapter, { base: join(out, "base") });
const distances = scored.flatMap(({ logprob = new Float32Array() }, at) =>
  (expected.logprobs[at] ?? []).map((value, token) => Math.abs(value - (logprob[token + 1] as number))),
);
const furthest = Math.max(...distances);
process.stdout.write(`adapter written by PEFT, read by Limbeck: ${furthest.toExponential(2)} (limit ${LIMIT})\n`);
process.exitCode = furthest <= LIMIT ? 0 : 1;
