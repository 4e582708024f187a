import { expect, test } from "vitest";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { onEveryStore } from "../../../../test/support/store-places.ts";
import { collect } from "../../../../test/support/stores.ts";
import { openStore } from "./open-store.ts";

onEveryStore((place) => {
  const folder = (): string => place().root;
  const stateFiles = async (): Promise<string[]> =>
    (await place().files.list("one/segments")).filter((name) => name.startsWith("state-"));

  test("a state becomes visible with the rows of its commit, and the last one counts", async () => {
    const store = openStore(folder());
    const writer = await store.createRun({ id: "one" });
    expect(await store.stateOf("one")).toBeUndefined();
    await writer.append(madeFrom("a"));
    writer.setState({ round: 1 });
    expect(await store.stateOf("one")).toBeUndefined();
    await writer.commit();
    expect(await store.stateOf("one")).toEqual({ round: 1 });
    // Rows alone leave it as it is; a state alone is a commit too.
    await writer.append(madeFrom("b"));
    await writer.commit();
    expect(await store.stateOf("one")).toEqual({ round: 1 });
    writer.setState({ round: 2, words: "é \u{d800} \0" });
    await writer.close();
    expect(await store.stateOf("one")).toEqual({ round: 2, words: "é \u{d800} \0" });
    expect(await collect(store.trajectories())).toHaveLength(2);
  });

  test("of two commits with one key the first counts, with its state", async () => {
    const store = openStore(folder());
    const [first, second] = [await store.createRun({ id: "one" }), await store.openRun("one", { beside: true })];
    for (const [writer, name] of [
      [first, "first"],
      [second, "second"],
    ] as const) {
      await writer.append(madeFrom(name));
      writer.setState({ name });
      await writer.commit({ key: "after 1" });
    }
    expect(await store.stateOf("one")).toEqual({ name: "first" });
    expect((await collect(store.trajectories())).map(({ id }) => id)).toEqual(["first"]);
  });

  test("compaction keeps the state through checkpoints and removes those it replaced", async () => {
    // Half a day later, so that what is replaced is old at once, orphans included.
    const store = openStore(folder(), { now: () => new Date(Date.now() + 12 * 3_600_000) });
    const writer = await store.createRun({ id: "one" });
    for (let round = 1; round <= 20; round += 1) {
      await writer.append(madeFrom(`t${round}`));
      writer.setState({ round });
      await writer.commit();
    }
    expect(await stateFiles()).toHaveLength(20);
    await store.compact({ run: "one", graceMs: 0 });
    await store.compact({ run: "one", graceMs: 0 });
    expect(await stateFiles()).toHaveLength(1);
    expect(await store.stateOf("one")).toEqual({ round: 20 });
    expect(await openStore(folder()).stateOf("one")).toEqual({ round: 20 });
  });

  test("a state that is missing or damaged is an error that names the file", async () => {
    const store = openStore(folder());
    const writer = await store.createRun({ id: "one" });
    writer.setState({ round: 1 });
    await writer.close();
    const [name = ""] = await stateFiles();
    const path = `one/segments/${name}`;
    await place().files.remove(path);
    await place().files.put(path, Buffer.from('{"round":'));
    await expect(store.stateOf("one")).rejects.toMatchObject({
      code: "segment-damaged",
      message: expect.stringContaining(name),
    });
    await place().files.remove(path);
    await expect(store.stateOf("one")).rejects.toMatchObject({
      code: "segment-missing",
      message: expect.stringContaining(name),
    });
  });
});
