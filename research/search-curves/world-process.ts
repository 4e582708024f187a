/**
 * Lines of one world in a process of its own, with one thread:
 *
 *     tsx research/search-curves/world-process.ts --world shop --methods mcts,bavt --out DIR [--tasks 50] [--multiples 1,2,4]
 *
 * Writes DIR/WORLD.METHOD.json after every method; what is there already is not searched again.
 * `npm run search-curves:bundle` makes one file of it.
 */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { lookUp } from "../../packages/base/src/base/registry.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import type { SearchId } from "../../packages/core/src/search/registry.ts";
import { allSearches } from "../all-methods.ts";
import { curveLine, greedyLine, type CurveLine } from "./line.ts";
import { openStudyWorld, studyWorlds, type StudyWorldId } from "./worlds.ts";

const { values } = parseArgs({
  options: {
    world: { type: "string", default: "countdown" },
    methods: { type: "string", default: Object.keys(allSearches).join(",") },
    out: { type: "string", default: "search-curves" },
    tasks: { type: "string", default: "50" },
    offset: { type: "string", default: "100" },
    multiples: { type: "string", default: "1,2,4,8,16,32,64" },
    seed: { type: "string", default: "1" },
    temperature: { type: "string", default: "0.7" },
    together: { type: "string" },
    models: { type: "string" },
  },
});

const id = values.world as StudyWorldId;
lookUp<object>(studyWorlds, id, "world of the study");
const methods = values.methods.split(",") as SearchId[];
for (const method of methods) lookUp<object>(allSearches, method, "search");
await mkdir(values.out, { recursive: true });
const [tasks, offset] = [Number(values.tasks), Number(values.offset)];
const models = values.models === undefined ? {} : { models: resolve(values.models) };
const world = await openStudyWorld(id, { tasks, offset, temperature: Number(values.temperature), ...models });
const request = {
  world: id,
  multiples: values.multiples.split(",").map(Number),
  seed: Number(values.seed),
  offset,
  // All at once unless told, so that the model's batches are as wide as they can be.
  together: Number(values.together ?? tasks),
};
const greedy = await greedyLine(world, request);
await keep(greedy);
for (const method of methods) {
  const started = performance.now();
  const earlier = await readFile(pathOf(method), "utf8").catch(() => undefined);
  const known = earlier === undefined ? {} : { earlier: JSON.parse(earlier) as CurveLine };
  const line = await curveLine(world, { ...request, method, ...known }, greedy.greedyCalls);
  await keep(line);
  const shares = line.points.map(({ multiple, solved }) => `x${multiple} ${(100 * mean(solved)).toFixed(0)}%`);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  process.stdout.write(`${id} ${method}: ${shares.join(", ")}; ${seconds} s; ${world.counts()}\n`);
}
await world.close();

function pathOf(method: string): string {
  return join(values.out, `${id}.${method}.json`);
}

async function keep(line: CurveLine): Promise<void> {
  const path = pathOf(line.method);
  await writeFile(`${path}.new`, `${JSON.stringify(line)}\n`);
  await rename(`${path}.new`, path);
}
