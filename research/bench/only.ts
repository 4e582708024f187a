/**
 * `npx tsx research/bench/only.ts FILE [NAME…]`: the benches of one file, without loading the others, which need what only developers have.
 * `research/bench/only.ts draft.ts draft/tools` runs those of `draft.ts` whose name contains "draft/tools". A line is printed for each, and its JSON
 * after it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { lineOf, runBench, type Bench } from "./harness.ts";

const [file, ...words] = process.argv.slice(2);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (file === undefined) {
  print("Which file? For example: npx tsx research/bench/only.ts draft.ts draft/tools");
  process.exitCode = 2;
} else await runFile(file);

async function runFile(name: string): Promise<void> {
  const module = (await import(pathToFileURL(join(import.meta.dirname, name)).href)) as Record<string, unknown>;
  const all = Object.values(module).flatMap((value) => (Array.isArray(value) ? (value as Bench[]) : []));
  const known = all.filter((bench) => typeof bench.setUp === "function");
  const chosen = known.filter((bench) => words.length === 0 || words.some((word) => bench.name.includes(word)));
  if (chosen.length === 0) {
    print(`No bench of ${name} matches ${words.join(", ")}. Known: ${known.map((bench) => bench.name).join(", ")}.`);
    process.exitCode = 2;
    return;
  }
  print(`${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} cores, node ${process.version}`);
  for (const bench of chosen) {
    const folder = await mkdtemp(join(tmpdir(), "limbeck-bench-"));
    try {
      const result = await runBench(bench, folder);
      print(lineOf(result));
      print(JSON.stringify(result));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
