/** Benches of the studio's server: pages over a large lake, asked for over HTTP as the browser does. */
import { createRng } from "../src/base/index.ts";
import { startStudio } from "../src/serve/index.ts";
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

/** Each bench has the lake to itself; `compact` is what `limbeck compact` leaves of it. */
function pageBench(page: Page, compact: boolean): Bench {
  return {
    name: `serve/${page.name}${compact ? "" : "-uncompacted"}`,
    summary: `${page.summary}; ${TRAJECTORIES} trajectories, 3 million steps, ${RUNS} runs${compact ? ", compacted" : ", as trainings left them"}.`,
    unit: "ms",
    goal: { at: "most", value: page.most },
    repetitions: 15,
    warmUps: 3,
    setUp: async (folder) => {
      // A lake that is there already is used, so that all pages can be measured on one.
      const root = process.env["LIMBECK_LAKE"] ?? folder;
      if (root === folder) await writeLake(folder, { trajectories: TRAJECTORIES, runs: RUNS, compact });
      const studio = await startStudio({ root, version: "bench" });
      const rng = createRng(page.name);
      const headers = { authorization: `Bearer ${studio.token}`, "accept-encoding": "br" };
      const sizes: number[] = [];
      let first: number | undefined;
      return {
        measure: async () => {
          const taken = await seconds(async () => {
            const response = await fetch(`${studio.url}${page.path((below) => rng.int(below))}`, { headers });
            const body = await response.arrayBuffer();
            if (!response.ok) throw new Error(Buffer.from(body).toString());
            sizes.push(body.byteLength);
          });
          first ??= taken * 1_000;
          return taken * 1_000;
        },
        notes: () => ({ "ms at first": Math.round(first ?? 0), "bytes unpacked": sizes.at(-1) ?? 0, MiB: memoryMib() }),
      };
    },
  };
}

export const serveBenches: readonly Bench[] = PAGES.map((page) => pageBench(page, true));
