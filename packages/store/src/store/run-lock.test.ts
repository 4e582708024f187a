/** A run has one writer at a time, and no dead one keeps it. */
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { onEveryStore } from "../../../../test/support/store-places.ts";
import { collect } from "../../../../test/support/stores.ts";
import { errorCode, errorData } from "limbeck-base/base/errors";
import { thisProcess } from "limbeck-base/base/process-identity";
import type { Files } from "./files.ts";
import { openStore } from "./open-store.ts";
import { LOCK_FILE } from "./run-lock.ts";

const LOCK = `one/${LOCK_FILE}`;

onEveryStore((place) => {
  /** A lock that somebody else left. */
  async function leave(holder: object): Promise<void> {
    const since = "2026-11-16T10:00:00.000Z";
    const text = JSON.stringify({ ...thisProcess(), since, writer: "other", signs: 0, ...holder });
    expect(await place().files.putIfAbsent(LOCK, Buffer.from(text))).toBe(true);
  }

  async function withRun(): Promise<void> {
    const store = openStore(place().root);
    const writer = await store.createRun({ id: "one" });
    await writer.append(madeFrom("a"));
    await writer.close();
    expect(await place().files.look(LOCK)).toBeUndefined();
  }

  /** A number that no process has. */
  function deadPid(): number {
    for (let pid = 2 ** 22 - 2; ; pid -= 1) {
      try {
        process.kill(pid, 0);
      } catch (error) {
        if (errorCode(error) === "ESRCH") return pid;
      }
    }
  }

  test("a second writer is refused by name, until the first lets go by closing itself or its store", async () => {
    const [store, other] = [openStore(place().root), openStore(place().root)];
    for (const letGo of ["writer", "store"] as const) {
      const writer = letGo === "writer" ? await store.createRun({ id: "one" }) : await store.openRun("one");
      const refused: unknown = await other.openRun("one").catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: "run-busy", details: { run: "one", pid: process.pid, host: hostname() } });
      expect(errorData(refused).message).toMatch(/Run "one" in .* is being written by process \d+ .* since 20/);
      await expect(other.createRun({ id: "one" })).rejects.toMatchObject({ code: "run-busy" });
      await (letGo === "writer" ? writer.close() : store.close());
    }
    await (await other.openRun("one")).close();
  });

  test("others write beside it, and it commits behind them", async () => {
    const store = openStore(place().root);
    const writer = await store.createRun({ id: "one" });
    const beside = await store.openRun("one", { beside: true });
    for (const id of ["a", "b", "c"]) {
      const which = id === "b" ? beside : writer;
      await which.append(madeFrom(id));
      await which.commit();
    }
    expect((await collect(store.trajectories())).map(({ id }) => id)).toEqual(["a", "b", "c"]);
    await store.close();
  });

  test("of many that find the lock of a dead process at once one takes it over", async () => {
    await withRun();
    await leave({ pid: deadPid(), started: "1" });
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => openStore(place().root).openRun("one")));
    const taken = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(taken).toHaveLength(1);
    const codes = all.flatMap((one) => (one.status === "rejected" ? [errorCode(one.reason)] : []));
    expect(codes).toEqual(Array.from({ length: 7 }, () => "run-busy"));
    await taken[0]?.append(madeFrom("b"));
    await taken[0]?.close();
    expect(await collect(openStore(place().root).trajectories())).toHaveLength(2);
    expect((await place().files.list("one")).filter((name) => /lock|^\.tmp-/.test(name))).toEqual([]);
  });

  test.runIf(process.platform === "linux")(
    "a process that was given the number of a dead one does not hold its lock (needs /proc of Linux)",
    async () => {
      await withRun();
      await leave({ started: "1" });
      await (await openStore(place().root).openRun("one")).close();
    },
  );

  test("a holder on another machine keeps its run while it gives signs of life, and a minute longer", async () => {
    await withRun();
    await leave({ host: "elsewhere" });
    let ageMs = 59_000;
    const { files } = place();
    const aged: Files = {
      ...files,
      look: async (path) => {
        const found = await files.look(path);
        return found === undefined ? undefined : { ...found, ageMs };
      },
    };
    const store = openStore(place().root, { files: aged });
    await expect(store.openRun("one")).rejects.toMatchObject({ code: "run-busy", details: { host: "elsewhere" } });
    await expect(store.openRun("one")).rejects.toThrow(/60 seconds after its last sign of life/);
    ageMs = 61_000;
    await (await store.openRun("one")).close();
  });

  test("what is no lock at all is respected for a minute and then taken for none", async () => {
    await withRun();
    expect(await place().files.putIfAbsent(LOCK, Buffer.from("{"))).toBe(true);
    await expect(openStore(place().root).openRun("one")).rejects.toMatchObject({ code: "run-busy" });
  });

  test("a writer whose run was taken over stores nothing more, whatever it had begun", async () => {
    const [slow, quick] = [openStore(place().root), openStore(place().root)];
    const first = await slow.createRun({ id: "one" });
    await first.append(madeFrom("a"));
    await first.commit();
    await first.append(madeFrom("b"));
    // It stands still for so long that it is taken for dead, and wakes up behind the other.
    await place().files.remove(LOCK);
    await leave({ pid: deadPid(), started: "1" });
    const second = await quick.openRun("one");
    await expect(first.commit()).rejects.toMatchObject({ code: "run-busy" });
    await second.append(madeFrom("c"));
    await second.commit();
    await expect(first.commit()).rejects.toMatchObject({ code: "run-busy" });
    expect((await collect(quick.trajectories())).map(({ id }) => id)).toEqual(["a", "c"]);
    await slow.close();
    await second.close();
  });

  test("segments that a living writer has begun are left alone however old they are; those of a dead one go", async () => {
    const store = openStore(place().root, { bufferSteps: 1 });
    const writer = await store.createRun({ id: "one" });
    await writer.append(madeFrom("a"));
    const begun = (await place().files.list("one/segments")).sort();
    expect(begun.length).toBeGreaterThan(0);
    const later = openStore(place().root, { now: () => new Date(Date.now() + 3 * 60 * 60_000) });
    await later.compact({ graceMs: 0 });
    expect((await place().files.list("one/segments")).sort()).toEqual(begun);
    await place().files.remove(LOCK);
    await leave({ pid: deadPid(), started: "1" });
    await later.compact({ graceMs: 0 });
    expect(await place().files.list("one/segments")).toEqual([]);
    await store.close();
  });
});
