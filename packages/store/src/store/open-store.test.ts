import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { onEveryStore } from "../../../../test/support/store-places.ts";
import { collect } from "../../../../test/support/stores.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { openStore } from "./open-store.ts";
import type { Store } from "./store.ts";

onEveryStore((place) => {
  const folder = (): string => place().root;

  async function storeWith(ids: readonly string[], run = "one"): Promise<Store> {
    const store = openStore(folder());
    const writer = await store.createRun({ id: run });
    for (const id of ids) await writer.append(madeFrom(id));
    await writer.close();
    return store;
  }

  const idsOf = (trajectories: readonly Trajectory[]): string[] => trajectories.map(({ id }) => id);

  test("a store that does not exist yet has no runs, no rows and no trajectories", async () => {
    const store = openStore(place().below("none"));
    expect(await store.runs()).toEqual([]);
    expect(await collect(store.trajectories())).toEqual([]);
    for (const view of ["runs", "tasks", "trajectories", "steps", "tokens", "rewards", "skills", "metrics", "events"]) {
      expect((await store.query(`select * from ${view}`)).rows).toEqual([]);
    }
  });

  test("nothing is visible before a commit, everything after it", async () => {
    const store = openStore(folder());
    const writer = await store.createRun({ kind: "import", config: { from: "here" } });
    await writer.append(madeFrom("a"));
    expect(await collect(store.trajectories())).toEqual([]);
    await writer.commit();
    expect(await collect(store.trajectories())).toStrictEqual([madeFrom("a")]);
    // Nothing new: no further commit file.
    await writer.commit();
    await writer.close();
    expect(await store.runs()).toMatchObject([
      { id: writer.run, kind: "import", config: { from: "here" }, commits: 1, segments: 3, trajectories: 1 },
    ]);
  });

  test("a writer whose buffer is large writes it out, and nothing of it is seen before its commit", async () => {
    const store = openStore(folder(), { bufferSteps: 2 });
    const writer = await store.createRun();
    for (const id of ["a", "b", "c", "d", "e", "f"]) await writer.append(madeFrom(id));
    expect((await place().files.list(`${writer.run}/segments`)).length).toBeGreaterThan(6);
    expect(await store.runs()).toMatchObject([{ commits: 0, trajectories: 0 }]);
    await writer.close();
    expect(await store.runs()).toMatchObject([{ commits: 1 }]);
    expect(idsOf(await collect(store.trajectories()))).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  test("run ids are unique, and nothing but a plain name is one", async () => {
    const store = await storeWith(["a"]);
    await expect(store.createRun({ id: "one" })).rejects.toMatchObject({ code: "run-exists" });
    await expect(store.openRun("two")).rejects.toMatchObject({ code: "no-run" });
    await expect(store.deleteRun("two")).rejects.toMatchObject({ code: "no-run" });
    for (const id of ["../one", "a/b", "a\\b", ".hidden", "..", "", "a b", "x".repeat(101), "a\u0000", "é"]) {
      await expect(store.createRun({ id })).rejects.toMatchObject({ code: "bad-run-id" });
      await expect(store.openRun(id)).rejects.toMatchObject({ code: "bad-run-id" });
      await expect(store.deleteRun(id)).rejects.toMatchObject({ code: "bad-run-id" });
      await expect(store.query("select 1", { run: id })).rejects.toMatchObject({ code: "bad-run-id" });
      await expect(store.compact({ run: id })).rejects.toMatchObject({ code: "bad-run-id" });
      await expect(collect(store.trajectories({ run: id }))).rejects.toMatchObject({ code: "bad-run-id" });
    }
    expect(await place().files.list("")).toEqual(["one"]);
  });

  test("a deleted run is gone, the others stay", async () => {
    const store = await storeWith(["a"], "one");
    await storeWith(["b"], "two");
    await store.deleteRun("one");
    expect((await store.runs()).map(({ id }) => id)).toEqual(["two"]);
    expect(await place().files.list("")).toEqual(["two"]);
    expect(idsOf(await collect(store.trajectories()))).toEqual(["b"]);
  });

  test("trajectories are chosen by run, id, condition and limit, in commit order", async () => {
    const store = await storeWith(["c", "a", "b"], "one");
    await storeWith(["d", "a"], "two");
    const ids = async (query: Parameters<Store["trajectories"]>[0]): Promise<string[]> =>
      idsOf(await collect(store.trajectories(query)));
    expect(await ids({})).toEqual(["c", "a", "b", "d", "a"]);
    expect(await ids({ run: "two" })).toEqual(["d", "a"]);
    expect(await ids({ ids: ["a", "b", "nobody"] })).toEqual(["a", "b", "a"]);
    expect(await ids({ ids: [] })).toEqual([]);
    expect(await ids({ where: "id > 'a' -- a comment" })).toEqual(["c", "b", "d"]);
    expect(await ids({ where: "id in (select trajectory from steps where step = 0)", limit: 2 })).toEqual(["c", "a"]);
    expect(await ids({ limit: 0 })).toEqual([]);
    await expect(ids({ where: "no_such_column = 1" })).rejects.toMatchObject({ code: "bad-sql" });
  });

  test("more wanted trajectories than the scan filters by are found as well", async () => {
    const names = Array.from({ length: 320 }, (_, index) => `t${index}`);
    const store = await storeWith(names);
    // 300 of them: all but every sixteenth.
    const wanted = names.filter((_, index) => index % 16 !== 0);
    expect(await collect(store.trajectories({ ids: wanted }))).toStrictEqual(wanted.map(madeFrom));
  });

  test("a reward that came later stands behind the trajectory's own, in commit order, also after compaction", async () => {
    const store = await storeWith(["a", "b"]);
    const writer = await store.openRun("one");
    const first = { name: "first", source: "judge", score: { kind: "scored", value: 0.25 } } as const;
    const second = { name: "second", source: "person", score: { kind: "unscored", why: "away" }, step: 0 } as const;
    await writer.addReward("b", first);
    await writer.commit();
    await writer.addReward("b", second);
    await writer.close();
    const expected = [madeFrom("a"), { ...madeFrom("b"), rewards: [...madeFrom("b").rewards, first, second] }];
    expect(await collect(store.trajectories())).toStrictEqual(expected);
    await store.compact({ graceMs: 0 });
    expect(await collect(store.trajectories())).toStrictEqual(expected);
    const { rows } = await store.query(
      "select trajectory, name, origin from rewards order by origin desc, trajectory, name",
    );
    expect(rows).toEqual([
      ["a", "alive", "trajectory"],
      ["b", "alive", "trajectory"],
      ["b", "first", "later"],
      ["b", "second", "later"],
    ]);
  });

  test("skills, metrics and events are stored, and metrics can be tailed", async () => {
    const now = (): Date => new Date("2026-01-02T03:04:05.678Z");
    const store = openStore(folder(), { now });
    const writer = await store.createRun({ id: "one" });
    await writer.addSkill({
      id: "s1",
      level: "step",
      text: "Look first.",
      trajectory: "a",
      step: 3,
      data: { lift: 0.5 },
    });
    await writer.addMetrics(7, { loss: 0.5, reward: 1 });
    await writer.addEvent("run-start", { host: "here" });
    await writer.close();
    const tail = await readFile(place().files.location("one/metrics.jsonl"), "utf8");
    expect(tail).toBe('{"time":"2026-01-02T03:04:05.678Z","step":7,"loss":0.5,"reward":1}\n');
    const time = "2026-01-02T03:04:05.678Z";
    expect((await store.query("select * from skills")).rows).toEqual([
      ["one", "s1", "step", "Look first.", "a", 3, '{"lift":0.5}', time],
    ]);
    expect((await store.query("select * from metrics order by name")).rows).toEqual([
      ["one", 7, "loss", 0.5, time],
      ["one", 7, "reward", 1, time],
    ]);
    expect((await store.query("select * from events")).rows).toEqual([["one", "run-start", '{"host":"here"}', time]]);
  });

  test("a trajectory that is not sound is refused, and what is buffered stays", async () => {
    const store = openStore(folder());
    const writer = await store.createRun();
    await writer.append(madeFrom("good"));
    const { streams: _, ...rest } = madeFrom("bad");
    await expect(writer.append({ ...rest, streams: [] })).rejects.toMatchObject({ code: "bad-trajectory" });
    const seeded = { ...madeFrom("bad"), task: { ...madeFrom("bad").task, seed: 0.5 } };
    await expect(writer.append(seeded)).rejects.toMatchObject({ code: "bad-trajectory" });
    const reward = { name: "r", source: "s", score: { kind: "scored", value: 1 }, step: 0.5 } as const;
    await expect(writer.addReward("good", reward)).rejects.toMatchObject({ code: "bad-reward" });
    // A branch may come before its parent, or without it.
    const branch = { ...madeFrom("branch"), parent: { trajectory: "elsewhere", step: 0 } };
    await writer.append(branch);
    await writer.close();
    expect(await collect(store.trajectories())).toStrictEqual([madeFrom("good"), branch]);
  });

  test("the least and the greatest version of 32 bits are stored; one further is refused", async () => {
    const store = openStore(folder());
    const writer = await store.createRun();
    // -2^31 and 2^31 - 1.
    const [least, greatest] = [-2_147_483_648, 2_147_483_647];
    const ofVersion = (id: string, version: number): Trajectory => ({
      ...madeFrom(id),
      policy: { name: "p", version },
    });
    const kept = [ofVersion("least", least), ofVersion("greatest", greatest)];
    for (const trajectory of kept) await writer.append(trajectory);
    for (const version of [least - 1, greatest + 1]) {
      await expect(writer.append(ofVersion("beyond", version))).rejects.toMatchObject({
        code: "bad-trajectory",
        message: expect.stringContaining("from -2147483648 to 2147483647"),
      });
    }
    await writer.close();
    expect(await collect(store.trajectories())).toStrictEqual(kept);
  });

  test("many trajectories asked for by id come whole and in the order in which they were stored", async () => {
    const store = openStore(folder());
    const writer = await store.createRun({ id: "one" });
    const ids = Array.from({ length: 48 }, (_, index) => `t${index}`);
    for (const [index, id] of ids.entries()) {
      await writer.append(madeFrom(id));
      if (index % 8 === 7) await writer.commit();
    }
    await writer.close();
    // Enough of them for DuckDB to make a join of a list, whose rows have no order.
    const wanted = ids.filter((_, index) => index % 3 === 0);
    expect(await collect(store.trajectories({ ids: wanted.toReversed() }))).toStrictEqual(wanted.map(madeFrom));
  });
});
