/** Any valid forest survives the store: buffered, committed, compacted, read back. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Trajectory } from "../trajectory/index.ts";
import { forest } from "../../test/support/forests.ts";
import { openStore, type Store } from "./index.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-round-trip-"));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

async function collect(trajectories: AsyncIterable<Trajectory>): Promise<Trajectory[]> {
  const all: Trajectory[] = [];
  for await (const trajectory of trajectories) all.push(trajectory);
  return all;
}

/** Commits after every `every` trajectories, so that a forest spreads over several segments. */
async function storeForest(store: Store, trajectories: readonly Trajectory[], every: number): Promise<string> {
  const writer = await store.createRun();
  for (const [index, trajectory] of trajectories.entries()) {
    await writer.append(trajectory);
    if (index % every === every - 1) await writer.commit();
  }
  await writer.close();
  return writer.run;
}

test("any forest comes back identical, in order, before and after compaction", async () => {
  await fc.assert(
    fc.asyncProperty(
      forest,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 4_000 }),
      async (trajectories, every, segmentBytes) => {
        // Also rows of one trajectory in many segments.
        const store = openStore(join(root, "forests"), { segmentBytes });
        const run = await storeForest(store, trajectories, every);
        expect(await collect(store.trajectories({ run }))).toStrictEqual(trajectories);
        await store.compact({ run, graceMs: 0 });
        expect(await collect(store.trajectories({ run }))).toStrictEqual(trajectories);
        await store.deleteRun(run);
      },
    ),
    { numRuns: 25 },
  );
  // Some ten seconds alone; the whole suite runs beside killed writers and compactions on the same disk.
}, 180_000);
