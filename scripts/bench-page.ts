/** `npx tsx scripts/bench-page.ts FILE…`: result files of `npm run bench` as the tables of docs/evidence/bench.md, to stdout. */
import { readFile } from "node:fs/promises";
import type { Result } from "../research/bench/harness.ts";

interface ResultFile {
  readonly time: string;
  readonly machine: { readonly cpus: number; readonly model: string; readonly node: string };
  readonly results: readonly Result[];
}

const number = (value: number): string => value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 3 : 0 });

function row({ name, summary, median, low, high, unit, goal, met, notes }: Result): string {
  const held = goal === undefined ? "" : `at ${goal.at} ${number(goal.value)}: ${met === true ? "met" : "**missed**"}`;
  const facts = Object.entries(notes).map(
    ([key, value]) => `${key} ${typeof value === "number" ? number(value) : value}`,
  );
  const text = [summary, ...facts].join("; ").replaceAll("|", "\\|");
  return `| \`${name}\` | ${number(median)} ${unit} | ${number(low)} to ${number(high)} | ${held} | ${text} |`;
}

for (const path of process.argv.slice(2)) {
  const { time, machine, results } = JSON.parse(await readFile(path, "utf8")) as ResultFile;
  const where = `${time.slice(0, 10)}, ${machine.cpus} × ${machine.model}, Node ${machine.node.slice(1)}`;
  const rooms = [...new Set(results.map(({ name }) => name.split("/")[0]))];
  process.stdout.write(`Measured on ${where}.\n`);
  for (const room of rooms) {
    process.stdout.write(
      `\n### ${room}\n\n| bench | median | range | goal | what |\n| --- | ---: | ---: | --- | --- |\n`,
    );
    for (const result of results.filter(({ name }) => name.startsWith(`${room}/`)))
      process.stdout.write(`${row(result)}\n`);
  }
}
