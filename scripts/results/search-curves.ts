/**
 * Success against budget for every search:
 *
 *     npm run results -- search-curves [--worlds household,shop] [--methods mcts,bavt] [--tasks 50] [--jobs 16]
 *
 * One process for each world and search, with one thread; what is in --out already is not run again.
 */
import { spawn } from "node:child_process";
import { access, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mapLimit } from "../../src/base/index.ts";
import { searches } from "../../src/search/index.ts";
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
      methods: { type: "string", default: ["plain", ...Object.keys(searches)].join(",") },
      tasks: { type: "string", default: "20" },
      multiples: { type: "string", default: "1,2,4,8,16" },
      temperature: { type: "string", default: "1" },
      models: { type: "string" },
      jobs: { type: "string", default: "1" },
      out: { type: "string", default: "runs/search-curves" },
      picture: { type: "string" },
    },
  });
  const pairs = values.worlds
    .split(",")
    .flatMap((world) => values.methods.split(",").map((method) => ({ world, method })));
  const { tasks, multiples, temperature, models, out } = values;
  const more = ["--tasks", tasks, "--multiples", multiples, "--temperature", temperature, "--out", out];
  await mapLimit(pairs, Number(values.jobs), async ({ world, method }) => {
    const there = await access(join(out, `${world}.${method}.json`)).then(
      () => true,
      () => false,
    );
    if (!there) await inProcess(["--world", world, "--method", method, ...more, ...(models === undefined ? [] : ["--models", models])]); // prettier-ignore
  });
  const lines = await linesIn(out);
  for (const world of Object.keys(studyWorlds)) printWorld(world, lines.filter((line) => line.world === world), print); // prettier-ignore
  printHarm(lines, print);
  printQuarter(lines, print);
  if (values.picture !== undefined) await writeFile(values.picture, curvesPicture(lines));
}

async function inProcess(words: readonly string[]): Promise<void> {
  const program = fileURLToPath(new URL("../search-curves/line-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", program, ...words], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const code = await new Promise<number | null>((done) => child.on("close", done));
  if (code !== 0) process.stderr.write(`${words.join(" ")} ended with ${code}\n`);
}

async function linesIn(folder: string): Promise<CurveLine[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  return await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), "utf8")) as CurveLine),
  );
}

export const searchCurves: Study = { name: "search-curves", title: "Search: success against budget", run: study };
