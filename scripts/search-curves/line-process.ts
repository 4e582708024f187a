/**
 * One line of the study in a process of its own, with one thread:
 *
 *     tsx scripts/search-curves/line-process.ts --world shop --method mcts --out DIR [--tasks 50] [--multiples 1,2,4]
 *
 * Writes DIR/WORLD.METHOD.json. `npm run search-curves:bundle` makes one file of it.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { lookUp } from "../../src/base/index.ts";
import { searches, type SearchId } from "../../src/search/index.ts";
import { curveLine } from "./line.ts";
import { studyWorlds, type StudyWorldId } from "./worlds.ts";

const { values } = parseArgs({
  options: {
    world: { type: "string" },
    method: { type: "string" },
    out: { type: "string", default: "search-curves" },
    tasks: { type: "string", default: "50" },
    offset: { type: "string", default: "0" },
    multiples: { type: "string", default: "1,2,4,8,16,32,64" },
    seed: { type: "string", default: "1" },
    temperature: { type: "string", default: "1" },
    together: { type: "string", default: "8" },
    models: { type: "string" },
  },
});

const [world, method] = [values.world ?? "", values.method ?? ""];
lookUp<object>(studyWorlds, world, "world of the study");
if (method !== "plain") lookUp<object>(searches, method, "search");
const line = await curveLine({
  world: world as StudyWorldId,
  method: method as SearchId | "plain",
  tasks: Number(values.tasks),
  offset: Number(values.offset),
  multiples: values.multiples.split(",").map(Number),
  seed: Number(values.seed),
  temperature: Number(values.temperature),
  together: Number(values.together),
  ...(values.models === undefined ? {} : { models: resolve(values.models) }),
  print: (text) => void process.stdout.write(`${text}\n`),
});
await mkdir(values.out, { recursive: true });
await writeFile(join(values.out, `${world}.${method}.json`), `${JSON.stringify(line)}\n`);
