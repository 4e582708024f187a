/**
 * Success against budget for every search:
 *
 *     npm run results -- search-curves [--worlds household,shop] [--methods mcts,bavt] [--tasks 50] [--jobs 4]
 *     npm run results -- search-curves --from docs/evidence/results/search/lines.jsonl [--picture FILE]
 *
 * One process for each world, with one thread; what is in --out already is not run again. --gather FILE puts all lines
 * into one file, --from prints such a file and runs nothing.
 */
import { spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mapLimit } from "../../packages/base/src/base/concurrency.ts";
import { allSearches } from "../all-methods.ts";
import type { CurveLine } from "../search-curves/line.ts";
import { printHarm, printQuarter, printWorld } from "../search-curves/page.ts";
import { curvesPicture } from "../search-curves/picture.ts";
import { studyWorlds } from "../search-curves/worlds.ts";
import type { Study } from "./study.ts";

async function study(print: (line: string) => void, words: readonly string[] = []): Promise<void> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      worlds: { type: "string", default: Object.keys(studyWorlds).join(",") },
      methods: { type: "string", default: Object.keys(allSearches).join(",") },
      tasks: { type: "string", default: "50" },
      multiples: { type: "string", default: "1,2,4,8,16,32,64" },
      temperature: { type: "string", default: "0.7" },
      models: { type: "string" },
      jobs: { type: "string", default: "1" },
      out: { type: "string", default: "runs/search-curves" },
      from: { type: "string" },
      gather: { type: "string" },
      picture: { type: "string" },
    },
  });
  const { tasks, multiples, temperature, methods, models, out, from } = values;
  if (from === undefined) {
    const given = { tasks, multiples, temperature, methods, out, ...(models === undefined ? {} : { models }) };
    const more = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
    await mapLimit(values.worlds.split(","), Number(values.jobs), (world) => inProcess(["--world", world, ...more]));
  }
  const lines = from === undefined ? await linesIn(out) : linesOf(await readFile(from, "utf8"));
  if (values.gather !== undefined) {
    await writeFile(values.gather, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
  for (const world of Object.keys(studyWorlds)) printWorld(world, lines.filter((line) => line.world === world), print); // prettier-ignore
  printHarm(lines, print);
  printQuarter(lines, print);
  if (values.picture !== undefined) await writeFile(values.picture, curvesPicture(lines));
}

async function inProcess(words: readonly string[]): Promise<void> {
  const program = fileURLToPath(new URL("../search-curves/world-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", program, ...words], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const code = await new Promise<number | null>((done) => child.on("close", done));
  if (code !== 0) process.stderr.write(`${words.join(" ")} ended with ${code}\n`);
}

/** In the order of the worlds, then by name. */
async function linesIn(folder: string): Promise<CurveLine[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  const lines = texts.flatMap(linesOf);
  return Object.keys(studyWorlds).flatMap((world) => lines.filter((line) => line.world === world));
}

function linesOf(text: string): CurveLine[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as CurveLine);
}

export const searchCurves: Study = { name: "search-curves", title: "Search: success against budget", run: study };
