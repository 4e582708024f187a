/** Kills writers of one store while others read and compact it, and says what became of the data. */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createRng, type Rng } from "../../packages/base/src/base/rng.ts";
import { mapLimit } from "../../packages/base/src/base/concurrency.ts";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import { bundlePrograms, startChild, stop, type Start } from "./kill-children.ts";
import { madeFrom, RUN } from "./kill-data.ts";

interface WatchOptions {
  readonly root: string;
  readonly compactors: number;
}

export interface KillOptions extends WatchOptions {
  readonly kills: number;
  /** Writers that are alive at the same time. */
  readonly writers: number;
  readonly seed: string | number;
  readonly onKill?: (done: number) => void;
}

export interface StoreReport {
  /** Trajectories of which a writer has said that they are committed, and all that are stored in the end. */
  readonly acknowledged: number;
  readonly stored: number;
  readonly reads: number;
  readonly compactions: number;
  readonly deleted: number;
  /** Everything that is not as it should be. */
  readonly faults: readonly string[];
}

export async function runKills(options: KillOptions): Promise<StoreReport & { readonly kills: number }> {
  let kills = 0;
  const report = await watched(options, async (start, faults) => {
    const indices = Array.from({ length: options.kills }, (_, index) => index);
    const heard = await mapLimit(indices, options.writers, async (index) => {
      const rng = createRng(options.seed).split(index);
      const said = await killOne(start, options.root, `writer-${index}`, rng, faults);
      kills += 1;
      options.onKill?.(kills);
      return said;
    });
    return heard.flat();
  });
  return { kills, ...report };
}

/** Many processes commit to one run at once, each so many times; none is killed. */
export async function runWriters(
  options: WatchOptions & { readonly writers: number; readonly commits: number },
): Promise<StoreReport> {
  return await watched(options, async (start, faults) => {
    const children = Array.from({ length: options.writers }, (_, index) =>
      start("kill-writer", [options.root, `writer-${index}`, "-", String(options.commits)]),
    );
    for (const child of children) {
      if ((await child.ended) !== null || child.process.exitCode !== 0) faults.push(`fault: ${child.errors.join("")}`);
    }
    return children.flatMap((child) => child.said.flatMap((line) => line.split(" ")));
  });
}

/** Runs writers on a fresh run while one process reads and some compact; `work` returns what was acknowledged. */
async function watched(
  { root, compactors }: WatchOptions,
  work: (start: Start, faults: string[]) => Promise<string[]>,
): Promise<StoreReport> {
  await (await openStore(root).createRun({ id: RUN, kind: "test" })).close();
  const programs = await bundlePrograms();
  const faults: string[] = [];
  const counts: Record<string, number> = {};
  let acknowledged: string[] = [];
  const start: Start = (program, args) => startChild(join(programs, `${program}.mjs`), args);
  const watchers = [
    start("kill-reader", [root]),
    ...Array.from({ length: compactors }, () => start("kill-compactor", [root])),
  ];
  try {
    acknowledged = await work(start, faults);
  } finally {
    for (const line of (await Promise.all(watchers.map(stop))).flat()) {
      const [word = "", count] = line.split(" ");
      if (line.startsWith("fault")) faults.push(line);
      else counts[word] = (counts[word] ?? 0) + Number(count);
    }
  }
  return {
    acknowledged: acknowledged.length,
    stored: await checkStored(root, acknowledged, faults),
    reads: counts["reads"] ?? 0,
    compactions: counts["compactions"] ?? 0,
    deleted: counts["deleted"] ?? 0,
    faults,
  };
}

/** Half of the writers die by their own hand inside a file operation, half at a random moment from outside. */
async function killOne(start: Start, root: string, name: string, rng: Rng, faults: string[]): Promise<string[]> {
  const inside = rng.int(2) === 1;
  const operation = rng.int(2) === 1 ? `commit-${1 + rng.int(4)}` : `put-${1 + rng.int(12)}`;
  const child = start("kill-writer", [root, name, inside ? operation : "-"]);
  const commits = rng.int(4);
  const delayMs = rng.int(25);
  child.lines.on("line", () => {
    if (!inside && child.said.length === commits + 1) setTimeout(() => child.process.kill("SIGKILL"), delayMs);
  });
  const signal = await child.ended;
  if (signal !== "SIGKILL") faults.push(`fault: ${name} ended by itself: ${child.errors.join("")}`);
  return child.said.flatMap((line) => line.split(" "));
}

async function checkStored(root: string, acknowledged: readonly string[], faults: string[]): Promise<number> {
  const stored = new Map<string, number>();
  for await (const trajectory of openStore(root).trajectories({ run: RUN })) {
    stored.set(trajectory.id, (stored.get(trajectory.id) ?? 0) + 1);
    if (!isDeepStrictEqual(trajectory, madeFrom(trajectory.id))) faults.push(`fault: ${trajectory.id} is not whole`);
  }
  for (const [id, count] of stored) if (count !== 1) faults.push(`fault: ${id} is stored ${count} times`);
  for (const id of acknowledged) if (!stored.has(id)) faults.push(`fault: ${id} was committed and is lost`);
  return stored.size;
}
