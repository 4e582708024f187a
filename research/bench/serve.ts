/** Benches of the studio's server: pages over a large lake, asked for over HTTP as the browser does. */
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRng } from "../../packages/base/src/base/rng.ts";
import { startStudio } from "../../packages/studio/src/serve/server.ts";
import { memoryMib, seconds, type Bench } from "./harness.ts";
import { writeLake } from "./lake.ts";

const TRAJECTORIES = 200_000;
const RUNS = 20;

interface Page {
  readonly name: string;
  readonly summary: string;
  readonly most: number;
  /** The address of one measurement; each asks for something else, so that no answer is remembered. */
  readonly path: (draw: (below: number) => number) => string;
}

const run = (draw: (below: number) => number): string => `lake-${String(draw(RUNS)).padStart(3, "0")}`;

const PAGES: readonly Page[] = [
  {
    name: "list",
    summary: "A page of 50 of all trajectories, at any offset",
    most: 300,
    path: (draw) => `/api/trajectories?offset=${draw(TRAJECTORIES)}`,
  },
  {
    name: "list-filtered",
    summary: "A page of one family's failures of 10 steps or more, of all runs, sorted by length",
    most: 300,
    path: (draw) => `/api/trajectories?family=clean&outcome=failure&minSteps=10&sort=steps&offset=${draw(5_000)}`,
  },
  {
    name: "list-run",
    summary: "A page of the trajectories of one run",
    most: 300,
    path: (draw) => `/api/trajectories?run=${run(draw)}&offset=${draw(9_000)}`,
  },
  {
    name: "trajectory",
    summary: "A trajectory that nobody has looked at, with its tokens, credit, skills and siblings",
    most: 100,
    path: (draw) =>
      `/api/runs/${run(draw)}/trajectory?id=${encodeURIComponent(`${1 + draw(150)}/household-${draw(8)}/${draw(8)}`)}`,
  },
  {
    name: "runs",
    summary: "The list of the 20 runs, after the first time",
    most: 300,
    path: () => "/api/runs",
  },
];

/**
 * The lake is written once, which takes minutes, and stays in the temporary folder for the next bench; the file `done`
 * says that it is whole. It is compacted, as `limbeck compact` does it; LIMBECK_LAKE names another one.
 */
async function lakeFolder(): Promise<string> {
  const given = process.env["LIMBECK_LAKE"];
  if (given !== undefined) return given;
  const folder = join(tmpdir(), `limbeck-lake-${TRAJECTORIES}`);
  const done = join(folder, "done");
  if (existsSync(done)) return join(folder, "runs");
  await rm(folder, { recursive: true, force: true });
  await writeLake(join(folder, "runs"), { trajectories: TRAJECTORIES, runs: RUNS, compact: true });
  await writeFile(done, "");
  return join(folder, "runs");
}

function pageBench(page: Page): Bench {
  return {
    name: `serve/${page.name}`,
    summary: `${page.summary}; ${TRAJECTORIES} trajectories, 3 million steps, ${RUNS} runs, compacted.`,
    unit: "ms",
    goal: { at: "most", value: page.most },
    repetitions: 15,
    warmUps: 3,
    setUp: async () => {
      const studio = await startStudio({ root: await lakeFolder(), version: "bench" });
      const rng = createRng(page.name);
      const headers = { authorization: `Bearer ${studio.token}`, "accept-encoding": "br" };
      const ask = async (path: string): Promise<number> => {
        const response = await fetch(`${studio.url}${path}`, { headers });
        const body = await response.arrayBuffer();
        if (!response.ok) throw new Error(Buffer.from(body).toString());
        return body.byteLength;
      };
      // The first look at the lake is the server's start.
      const start = await seconds(() => ask("/api/runs"));
      let bytes = 0;
      return {
        measure: async () => {
          const path = page.path((below) => rng.int(below));
          const taken = await seconds(async () => {
            bytes = await ask(path);
          });
          return taken * 1_000;
        },
        close: () => studio.close(),
        notes: () => ({ "s to start": Math.round(start * 10) / 10, bytes, MiB: memoryMib() }),
      };
    },
  };
}

export const serveBenches: readonly Bench[] = PAGES.map(pageBench);
