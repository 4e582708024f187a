import { expect, test } from "vitest";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { onEveryStore } from "../../../../test/support/store-places.ts";
import { collect } from "../../../../test/support/stores.ts";
import { openStore } from "./open-store.ts";

onEveryStore((place) => {
  const folder = (): string => place().root;

  test("many writers beside each other share a run", async () => {
    const store = openStore(folder());
    const first = await store.createRun({ id: "one" });
    const writers = [first, await store.openRun("one", { beside: true }), await store.openRun("one", { beside: true })];
    const ids = Array.from({ length: 30 }, (_, index) => `t${index}`);
    await Promise.all(
      ids.map(async (id, index) => {
        const writer = writers[index % writers.length]!;
        await writer.append(madeFrom(id));
        await writer.commit();
      }),
    );
    const stored = await collect(store.trajectories());
    expect(stored.map(({ id }) => id).sort()).toEqual(ids.toSorted());
  });

  test("compactions of one run at the same time do the work once", async () => {
    const store = openStore(folder());
    const writer = await store.createRun({ id: "one" });
    const ids = Array.from({ length: 12 }, (_, index) => `t${index}`);
    for (const id of ids) {
      await writer.append(madeFrom(id));
      await writer.commit();
    }
    const other = openStore(folder());
    const reports = (await Promise.all([store.compact(), other.compact(), store.compact()])).flat();
    expect(reports).toHaveLength(3);
    expect(await collect(store.trajectories())).toStrictEqual(ids.map(madeFrom));
    // Three tables, one segment each; 12 commits and one replacement.
    expect(await store.runs()).toMatchObject([{ segments: 3, commits: 13 }]);
  });

  test("replaced files stay for the grace period and go with the first compaction after it", async () => {
    let time = Date.parse("2026-01-01T00:00:00.000Z");
    const store = openStore(folder(), { now: () => new Date(time) });
    const writer = await store.createRun({ id: "one" });
    for (const id of ["a", "b"]) {
      await writer.append(madeFrom(id));
      await writer.commit();
    }
    const steps: string[] = [];
    const onProgress = (done: number, total: number): number => steps.push(`${done}/${total}`);
    expect(await store.compact({ onProgress })).toMatchObject([
      { segmentsBefore: 6, segmentsAfter: 3, filesDeleted: 0 },
    ]);
    expect(steps).toEqual(["0/1", "1/1"]);
    time += 59 * 60_000;
    expect(await store.compact()).toMatchObject([{ segmentsBefore: 3, segmentsAfter: 3, filesDeleted: 0 }]);
    time += 2 * 60_000;
    expect(await store.compact()).toMatchObject([{ filesDeleted: 6 }]);
    expect(await collect(store.trajectories())).toStrictEqual([madeFrom("a"), madeFrom("b")]);
  });

  test("a reader that is overtaken by compaction goes on where it was", async () => {
    const store = openStore(folder());
    const writer = await store.createRun({ id: "one" });
    // More than one batch of trajectories, so that the second is opened after its files are gone.
    const ids = Array.from({ length: 9000 }, (_, index) => `t${index}`);
    const made = madeFrom("x");
    for (const [index, id] of ids.entries()) {
      await writer.append({ ...made, id, steps: [], streams: [], rewards: [] });
      if (index % 1500 === 1499) await writer.commit();
    }
    await writer.close();
    const seen: string[] = [];
    let deleted = 0;
    for await (const { id } of store.trajectories()) {
      seen.push(id);
      if (seen.length === 10) deleted = (await store.compact({ graceMs: 0 }))[0]?.filesDeleted ?? 0;
    }
    expect(deleted).toBe(6);
    expect(seen).toEqual(ids);
    expect((await store.runs())[0]?.segments).toBe(1);
  });

  test("a cancelled compaction changes nothing", async () => {
    const store = openStore(place().below("deep/er"));
    const writer = await store.createRun({ id: "one" });
    for (const id of ["a", "b"]) {
      await writer.append(madeFrom(id));
      await writer.commit();
    }
    await expect(store.compact({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "cancelled" });
    const stop = new AbortController();
    await expect(store.compact({ signal: stop.signal, onProgress: () => stop.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(await store.runs()).toMatchObject([{ segments: 6, commits: 2 }]);
  });
});
