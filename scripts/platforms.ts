/**
 * `npm run platforms`: installs the lock for every platform into an empty folder and prints which native parts arrived.
 * `npm run platforms -- --emulate`: starts the other architecture's Node under emulation and runs the engine with it.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createStyle } from "../packages/limbeck/src/cli/look/style.ts";
import { tableLines } from "../packages/limbeck/src/cli/look/table.ts";
import { emulate } from "./platforms/emulate.ts";
import { type Arrival, arrivals, installFor } from "./platforms/install.ts";
import type { Lock } from "./platforms/lock.ts";
import { PLATFORMS, REQUIRED_PLATFORMS } from "./platforms/platforms.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { emulate: { type: "boolean", default: false } } });
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const folder = await mkdtemp(join(tmpdir(), "limbeck-platforms-"));
try {
  process.exitCode = values.emulate ? await emulate(root, folder, say) : await installEverywhere();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function installEverywhere(): Promise<number> {
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as Lock;
  const columns: (readonly Arrival[])[] = [];
  for (const platform of PLATFORMS) {
    say(`npm ci for ${platform.name}`);
    const place = join(folder, platform.name);
    await installFor(platform, root, place);
    columns.push(await arrivals(lock, place, platform));
    await rm(place, { recursive: true, force: true });
  }
  const titles = ["part", "version", ...PLATFORMS.map(({ name }) => name)].map((title) => ({ title }));
  const rows = (columns[0] ?? []).map(({ part, version }, row) => [
    part,
    version,
    ...columns.map((arrived) => cell(arrived[row])),
  ]);
  say("");
  for (const line of tableLines(titles, rows, { style: createStyle(false) })) say(line);
  const gaps = REQUIRED_PLATFORMS.flatMap(({ name }, column) =>
    (columns[column] ?? []).filter(({ files }) => files.length === 0).map(({ part }) => `${part} for ${name}`),
  );
  say("");
  say(gaps.length === 0 ? "Every part is there on every required platform." : `Missing: ${gaps.join(", ")}.`);
  return gaps.length === 0 ? 0 : 1;
}

function cell(arrival: Arrival | undefined): string {
  if (arrival?.offered !== true) return "not made";
  return arrival.files.length === 0 ? "MISSING" : "✓";
}
