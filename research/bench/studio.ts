/** The studio in a real browser over much: how long until a page shows what it is for. */
import { writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import { browserPath, NEEDS_BROWSER } from "../../test/support/browser.ts";
import { openStudioBench } from "../../test/support/studio-bench.ts";
import type { Bench } from "./harness.ts";
import { writeLake } from "./lake.ts";

const RUNS = 10_000;
const EPISODES = 100_000;
const UPDATES = 5_000;
const PATIENCE_MS = 240_000;

interface View {
  readonly name: string;
  readonly summary: string;
  /** Milliseconds at most. */
  readonly most: number;
  readonly lake: () => Promise<string>;
  /** The address behind "#", another one each time where it can be. */
  readonly place: (round: number) => string;
  /** What is there when the page is. */
  readonly shows: string;
}

const VIEWS: readonly View[] = [
  {
    name: "runs",
    summary: `The first page of ${RUNS} runs, until its rows stand there`,
    most: 1_000,
    lake: () => lakeOf(`runs-${RUNS}`, (root) => writeLake(root, { trajectories: RUNS, runs: RUNS })),
    place: () => "#/runs",
    shows: "tbody tr",
  },
  {
    name: "episodes",
    summary: `A page of the episodes of a run of ${EPISODES}, further and further down, until its rows stand there`,
    most: 1_000,
    lake: () =>
      lakeOf(`episodes-${EPISODES}`, (root) => writeLake(root, { trajectories: EPISODES, runs: 1, compact: true })),
    place: (round) => `#/trajectories?run=lake-000&offset=${round * 5_000}`,
    shows: "tbody tr",
  },
  {
    name: "curves",
    summary: `The page of a run of ${UPDATES} updates, until its curves are drawn`,
    most: 200,
    lake: () => lakeOf(`curves-${UPDATES}`, writeCurves),
    place: () => "#/runs/endless",
    shows: "svg.plot",
  },
];

/** Written once, which may take minutes; the file `done` says that it is whole. */
async function lakeOf(name: string, write: (root: string) => Promise<unknown>): Promise<string> {
  const folder = join(tmpdir(), `limbeck-studio-lake-${name}`);
  const done = join(folder, "done");
  if (!existsSync(done)) {
    await write(join(folder, "runs"));
    await writeFile(done, "");
  }
  return join(folder, "runs");
}

async function writeCurves(root: string): Promise<void> {
  const store = openStore(root);
  const writer = await store.createRun({ id: "endless", kind: "train", config: { recipe: "opid", seed: 1 } });
  for (let update = 1; update <= UPDATES; update += 1) {
    const wave = Math.sin(update / 50);
    await writer.addMetrics(update, { success: update / UPDATES, "policy/entropy": 1 + wave, "reward/mean": wave });
  }
  await writer.close();
  await store.close();
}

function viewBench({ name, summary, most, lake, place, shows }: View): Bench {
  return {
    name: `studio/${name}`,
    summary: `${summary}, in Chromium.`,
    unit: "ms",
    goal: { at: "most", value: most },
    repetitions: 9,
    warmUps: 0,
    setUp: async () => {
      const bench = await openStudioBench();
      const studio = await bench.serve({ root: await lake() });
      const { page } = await bench.open("#/none", { studio });
      // On a busy machine it is told how long it took, not that it took too long.
      page.setDefaultTimeout(PATIENCE_MS);
      await page.waitForLoadState("networkidle");
      const pageTime = await timeOf(page);
      let round = 0;
      const taken: { readonly clock: number; readonly server: number; readonly page: number }[] = [];
      return {
        measure: async () => {
          await page.evaluate(
            () => ((globalThis as unknown as { location: { hash: string } }).location.hash = "#/none"),
          );
          await page.locator(shows).first().waitFor({ state: "detached" });
          const [begun, serverBegun, pageBegun] = [performance.now(), process.cpuUsage(), await pageTime()];
          await page.evaluate(
            (to) => ((globalThis as unknown as { location: { hash: string } }).location.hash = to),
            place(round),
          );
          await page.locator(shows).first().waitFor();
          round += 1;
          const clock = performance.now() - begun;
          const { user, system } = process.cpuUsage(serverBegun);
          taken.push({ clock, server: (user + system) / 1_000, page: (await pageTime()) - pageBegun });
          return clock;
        },
        close: () => bench.close(),
        // On a busy machine the clock tells of the others; the processor tells of this.
        notes: () => ({
          "ms the first time": Math.round(taken[0]?.clock ?? 0),
          "its processor ms, server": Math.round(taken[0]?.server ?? 0),
          "processor ms, server": middle(taken.map(({ server }) => server)),
          "processor ms, page": middle(taken.map(({ page: own }) => own)),
          load: Number((loadavg()[0] ?? 0).toFixed(1)),
        }),
      };
    },
  };
}

/** Reads the processor time of the page's process, in milliseconds. */
async function timeOf(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "ProcessTime")?.value ?? Number.NaN) * 1_000;
  };
}

function middle(values: readonly number[]): number {
  return Math.round(values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN);
}

/** None where there is no browser. */
export const studioBenches: readonly Bench[] = browserPath === undefined ? [] : VIEWS.map(viewBench);
if (browserPath === undefined) process.stderr.write(`No benches of the studio: ${NEEDS_BROWSER}.\n`);
