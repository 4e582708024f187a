import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { onEveryStore } from "../../../../test/support/store-places.ts";
import type { Files } from "./files.ts";
import { openStore, createRunIndex, type RunIndex } from "./open-store.ts";
import type { Store } from "./store.ts";
import { SCHEMA, type Schema } from "./migrations.ts";

const FILE = ".summaries.jsonl";

onEveryStore((place) => {
  /** Takes the folders an hour back, as if nobody had written since; on object storage there is nothing to wait for. */
  async function rest(...runs: readonly string[]): Promise<void> {
    const then = new Date(Date.now() - 3_600_000);
    if (place().files.copies !== undefined) return;
    for (const run of runs) {
      for (const name of ["commits", "segments"]) {
        await utimes(join(place().root, run, name), then, then);
      }
    }
  }

  async function write(store: Store, run: string, ...ids: readonly string[]): Promise<void> {
    const writer =
      (await store.runs({ only: run })).length > 0 ? await store.openRun(run) : await store.createRun({ id: run });
    for (const id of ids) await writer.append(madeFrom(id));
    await writer.close();
  }

  async function storeOfTwo(): Promise<Store> {
    const store = openStore(place().root);
    await write(store, "a", "1");
    await write(store, "b", "2");
    await rest("a", "b");
    return store;
  }

  interface Tried {
    readonly index: RunIndex;
    /** Looks through the index; gives the runs that had to be read. */
    readonly look: (ids?: readonly string[]) => Promise<string[]>;
  }

  function indexOf(store: Store, given: { files?: Files; schema?: Schema; now?: () => number } = {}): Tried {
    const { files = place().files, schema = SCHEMA, now = () => 0 } = given;
    const index = createRunIndex(files, schema, { now, leastRuns: 2 });
    return {
      index,
      look: async (ids = ["a", "b"]) => {
        const read: string[] = [];
        const found = await index.summaries(ids, async (id) => {
          read.push(id);
          return (await store.runs({ only: id }))[0];
        });
        // Whatever came from memory is what the store itself says.
        expect(found).toEqual(await store.runs());
        return read.toSorted();
      },
    };
  }

  async function damage(text: (whole: string) => string): Promise<void> {
    const { files } = place();
    const whole = await files.read(FILE);
    const scratch = await files.scratch(FILE);
    await writeFile(scratch, text(whole));
    await files.adopt(scratch, FILE);
  }

  test("a run is read again when it has changed, and only then", async () => {
    const store = await storeOfTwo();
    const { look } = indexOf(store);
    expect(await look()).toEqual(["a", "b"]);
    expect(await look()).toEqual([]);
    await write(store, "a", "3");
    expect(await look()).toEqual(["a"]);
    await rest("a");
    await look();
    expect(await look()).toEqual([]);
    await store.deleteRun("a");
    await write(store, "a", "4");
    await rest("a");
    expect(await look()).toEqual(["a"]);
    expect(await look()).toEqual([]);
  });

  test("a lost segment is noticed, and a run that cannot be read is read each time", async () => {
    const store = await storeOfTwo();
    const { look } = indexOf(store);
    await look();
    const segments = await place().files.list("b/segments");
    await place().files.remove(`b/segments/${segments[0]}`);
    expect(await look()).toEqual(["b"]);
    expect(await look()).toEqual(["b"]);
    expect(await store.runs({ remembered: true })).toMatchObject([{ id: "a" }, { id: "b", problem: /does not exist/ }]);
  });

  test("the next process begins with what the last one knew", async () => {
    const store = await storeOfTwo();
    await indexOf(store).look();
    expect(await indexOf(store).look()).toEqual([]);
    // It is no run.
    expect((await store.runs()).map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test.for<[string, (whole: string) => string]>([
    ["a digit is another one", (whole) => whole.replace('"trajectories":1', '"trajectories":7')],
    ["its end is missing", (whole) => whole.slice(0, -20)],
    ["it is empty", () => ""],
    ["it is something else", () => "no index\n{}\n"],
  ])("a damaged file costs a reading and nothing else: %s", async ([, text]) => {
    const store = await storeOfTwo();
    await indexOf(store).look();
    await damage(text);
    expect(await indexOf(store).look()).toEqual(["a", "b"]);
    // It is whole again.
    expect(await indexOf(store).look()).toEqual([]);
  });

  test("what a release with other tables wrote is not believed", async () => {
    const store = await storeOfTwo();
    await indexOf(store).look();
    const { steps } = SCHEMA.tables;
    const schema = { ...SCHEMA, tables: { ...SCHEMA.tables, steps: { ...steps, version: steps.version + 1 } } };
    expect(await indexOf(store, { schema }).look()).toEqual(["a", "b"]);
  });

  test("many may write it at once, and it need not be writable", async () => {
    const store = await storeOfTwo();
    await Promise.all(Array.from({ length: 6 }, () => indexOf(store).look()));
    expect(await indexOf(store).look()).toEqual([]);
    const closed: Files = { ...place().files, scratch: () => Promise.reject(new Error("read-only")) };
    await damage(() => "");
    expect(await indexOf(store, { files: closed }).look()).toEqual(["a", "b"]);
  });

  test("a run that stands still is looked at after a twentieth of that time, and after ten seconds at the latest", async () => {
    const store = await storeOfTwo();
    const asked: number[] = [];
    let now = 0;
    const { files } = place();
    const counting: Files = {
      ...files,
      stamps: async (runs) => {
        asked.push(now);
        return (await files.stamps?.(runs)) ?? new Map<string, string>();
      },
    };
    const { look } = indexOf(store, { files: counting, now: () => now });
    // Known since 0, seen at 1,000: for 50 ms it rests. Seen at 1,000,000: for 10 s, not for 50.
    for (now of [0, 1_000, 1_049, 1_050, 1_000_000, 1_009_999, 1_010_000]) await look();
    expect(asked).toEqual([0, 1_000, 1_050, 1_000_000, 1_010_000]);
  });
});
