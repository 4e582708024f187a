/** Reading without DuckDB gives what reading with it gives. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { forest } from "../../../../test/support/forests.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { openStore } from "./open-store.ts";
import { localFiles } from "./local-files.ts";
import { readPlainly } from "./plain-reading.ts";
import { SCHEMA } from "./migrations.ts";
import { readRun } from "./snapshot.ts";

const newFolder = temporaryFolders();

async function collect(trajectories: AsyncIterable<Trajectory>): Promise<Trajectory[]> {
  const all: Trajectory[] = [];
  for await (const trajectory of trajectories) all.push(trajectory);
  return all;
}

test("any forest in several commits, with rewards that came later, before and after compaction", async () => {
  const [first, second] = fc.sample(forest, { numRuns: 2, seed: 51 }) as [Trajectory[], Trajectory[]];
  const root = await newFolder();
  const store = openStore(root);
  const ids = new Set<string>();
  const all = [...first, ...second].filter(({ id }) => !ids.has(id) && ids.add(id));
  const writer = await store.createRun();
  for (const trajectory of all) {
    await writer.append(trajectory);
    await writer.commit();
  }
  const [one] = all as [Trajectory];
  await writer.addReward(one.id, { name: "success", source: "person", score: { kind: "scored", value: 1 } });
  await writer.addReward(one.id, { name: "care", source: "person", score: { kind: "scored", value: 0.25 } });
  await writer.close();
  const files = localFiles(root);
  for (const compacted of [false, true]) {
    if (compacted) await store.compact({ run: writer.run, graceMs: 0 });
    const snapshot = await readRun(files, SCHEMA, writer.run);
    const wanted = await collect(store.trajectories({ run: writer.run }));
    expect(wanted.length).toBe(all.length);
    expect(await collect(readPlainly(files, snapshot))).toStrictEqual(wanted);
    expect((await collect(readPlainly(files, snapshot, [one.id]))).map(({ id, success }) => [id, success])).toEqual([
      [one.id, true],
    ]);
  }
  await store.close();
});
