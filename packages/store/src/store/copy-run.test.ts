import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { onEveryStore } from "../../../../test/support/store-places.ts";
import { collect } from "../../../../test/support/stores.ts";
import { copyRun } from "./copy-run.ts";
import { openStore } from "./open-store.ts";

onEveryStore((place) => {
  /** A folder with the run "one": two commits, a keyed one, a state, and a model beside it. */
  async function source(): Promise<string> {
    const root = await mkdtemp(join(tmpdir(), "limbeck-copy-"));
    const writer = await openStore(root).createRun({ id: "one", kind: "train", config: { seed: 7 } });
    await writer.append(madeFrom("a"));
    await writer.commit({ key: "job 1" });
    await writer.append(madeFrom("b"));
    writer.setState({ round: 2 });
    await writer.close();
    const weights = join(root, "one", "model", "weights.bin");
    await mkdir(dirname(weights));
    await writeFile(weights, "weights");
    return root;
  }

  test("a run is copied there and back, with its state, its keys and what lies beside it", async () => {
    const from = await source();
    const back = await mkdtemp(join(tmpdir(), "limbeck-back-"));
    // Two commits with three tables each, the state, the model and the log.
    expect(await copyRun({ from, to: place().root, run: "one" })).toMatchObject({ copied: true, files: 9 });
    expect(await copyRun({ from, to: place().root, run: "one" })).toMatchObject({ copied: false, files: 0 });
    await copyRun({ from: place().root, to: back, run: "one" });
    for (const root of [place().root, back]) {
      const store = openStore(root);
      expect(await collect(store.trajectories())).toStrictEqual([madeFrom("a"), madeFrom("b")]);
      expect(await store.stateOf("one")).toEqual({ round: 2 });
      expect(await store.runs()).toMatchObject([{ id: "one", kind: "train", config: { seed: 7 }, commits: 2 }]);
    }
    expect(await readFile(join(back, "one", "model", "weights.bin"), "utf8")).toBe("weights");
    // The copy goes on as the run would: a key that counted once does not count again.
    const writer = await openStore(back).openRun("one");
    await writer.append(madeFrom("again"));
    await writer.commit({ key: "job 1" });
    await writer.append(madeFrom("c"));
    await writer.close();
    expect((await collect(openStore(back).trajectories())).map(({ id }) => id)).toEqual(["a", "b", "c"]);
    for (const root of [from, back]) await rm(root, { recursive: true, force: true });
  });

  test("a copy that broke off shows no run and is taken up; another run of that name is refused", async () => {
    const from = await source();
    const stop = new AbortController();
    const cut = copyRun({
      from,
      to: place().root,
      run: "one",
      signal: stop.signal,
      onProgress: (done) => done > 3 && stop.abort(),
    });
    await expect(cut).rejects.toMatchObject({ code: "cancelled" });
    expect(await openStore(place().root).runs()).toEqual([]);
    const { files } = await copyRun({ from, to: place().root, run: "one" });
    expect(files).toBeLessThan(9);
    expect(await collect(openStore(place().root).trajectories())).toHaveLength(2);
    const writer = await openStore(from).openRun("one");
    await writer.append(madeFrom("c"));
    await writer.close();
    await expect(copyRun({ from, to: place().root, run: "one" })).rejects.toMatchObject({ code: "run-exists" });
    await rm(from, { recursive: true, force: true });
  });
});
