/** Any valid forest survives the store: buffered, committed, compacted, read back. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { forest } from "../../../../test/support/forests.ts";
import { tries } from "../../../../test/support/thorough.ts";
import { openStore } from "./open-store.ts";
import type { Store } from "./store.ts";

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
    fc.asyncProperty(forest, fc.integer({ min: 1, max: 4 }), async (trajectories, every) => {
      const store = openStore(join(root, "forests"));
      const run = await storeForest(store, trajectories, every);
      expect(await collect(store.trajectories({ run }))).toStrictEqual(trajectories);
      await store.compact({ run, graceMs: 0 });
      expect(await collect(store.trajectories({ run }))).toStrictEqual(trajectories);
      await store.deleteRun(run);
    }),
    { numRuns: tries(3, 25) },
  );
  // Some ten seconds alone; the whole suite runs beside killed writers and compactions on the same disk.
}, 180_000);

test("a commit that is larger than a segment lies in several, in order", { timeout: 180_000 }, async () => {
  const [first] = fc.sample(forest, { numRuns: 1, seed: 7 }) as [Trajectory[]];
  const texts = Array.from({ length: 9 }, (_, at) => `${at} ${"x".repeat(600)}`);
  const long = first.slice(0, 1).map((one): Trajectory => {
    const step = { index: 0, stateKey: "", action: "go", valid: true, reward: { kind: "scored", value: 0 } } as const;
    const { parent: _, ...rest } = one;
    return {
      ...rest,
      streams: [],
      rewards: [],
      steps: texts.map((observation, index) => ({ ...step, index, observation })),
    };
  });
  const store = openStore(join(root, "long"), { segmentBytes: 2_000 });
  const run = await storeForest(store, long, 1);
  // Nine steps of some 700 bytes, two to a segment; one segment for the trajectory.
  expect(await store.runs()).toMatchObject([{ commits: 1, segments: 6, steps: 9 }]);
  expect(await collect(store.trajectories({ run }))).toStrictEqual(long);
  await store.compact({ run, graceMs: 0 });
  expect(await collect(store.trajectories({ run }))).toStrictEqual(long);
  await store.close();
});
