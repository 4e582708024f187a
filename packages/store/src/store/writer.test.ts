/** What a writer holds becomes visible by its commit alone, however much it is, and its buffer counts all of it. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { onEveryStore } from "../../../../test/support/store-places.ts";
import { collect } from "../../../../test/support/stores.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Files } from "./files.ts";
import { openStore } from "./open-store.ts";

/** Nightly the store's own bound. */
const BUFFER_STEPS = tries(1_024, 16_384);
const EPISODES = BUFFER_STEPS / 16;
const STEPS = 20;

function episode(id: string): Trajectory {
  const [step] = madeFrom("x").steps;
  const { span: _, ...bare } = step!;
  const steps = Array.from({ length: STEPS }, (__, index) => ({ ...bare, index }));
  return { ...madeFrom("x"), id, steps, streams: [], rewards: [] };
}

/** Counts what lies in memory unseen: the bytes of segments that were put. */
function counting(files: Files): { readonly files: Files; readonly put: () => number } {
  let put = 0;
  const counted: Files = {
    ...files,
    put: async (path, bytes) => {
      put += bytes.length;
      await files.put(path, bytes);
    },
  };
  return { files: counted, put: () => put };
}

/** 640 kB, in pieces that differ, so that nothing makes them small. */
const TEXTS = Array.from({ length: 80 }, (_, piece) => madeText(piece));

onEveryStore((place) => {
  test("an update larger than every bound that breaks off leaves nothing, and is there once when it is done again", async () => {
    const ids = Array.from({ length: EPISODES }, (_, index) => `1/${index}`);
    const broken = openStore(place().root, { bufferSteps: BUFFER_STEPS });
    const first = await broken.createRun({ id: "one" });
    // Of 16,384 steps, 20,480: more than those at which a buffer is written out.
    for (const id of ids) await first.append(episode(id));
    expect((await broken.runs())[0]).toMatchObject({ trajectories: 0, commits: 0 });
    await broken.close();

    const store = openStore(place().root, { bufferSteps: BUFFER_STEPS });
    const again = await store.openRun("one");
    for (const id of ids) await again.append(episode(id));
    await again.addMetrics(1, { success: 1 });
    await again.commit();
    const { rows } = await store.query("select count(*), count(distinct id), sum(step_count) from trajectories");
    expect(rows).toEqual([[EPISODES, EPISODES, EPISODES * STEPS]]);
    expect((await store.query("select count(*) from steps")).rows).toEqual([[EPISODES * STEPS]]);
    await again.close();
    await store.close();
  });

  test.each<
    [string, (writer: Awaited<ReturnType<ReturnType<typeof openStore>["createRun"]>>, text: string) => Promise<void>]
  >([
    ["texts of skills", (writer, text) => writer.addSkill({ id: "s", level: "step", text })],
    [
      "comments of rewards",
      (writer, comment) =>
        writer.addReward("t", { name: "r", source: "p", score: { kind: "scored", value: 1 }, comment }),
    ],
    [
      "reasons of missing rewards",
      (writer, why) => writer.addReward("t", { name: "r", source: "p", score: { kind: "unscored", why } }),
    ],
    ["data of events", (writer, text) => writer.addEvent("e", { text })],
    ["kinds of events", (writer, text) => writer.addEvent(text)],
    ["names of metrics", (writer, name) => writer.addMetrics(1, { [name]: 1 })],
  ])("the buffer counts %s", async (_, add) => {
    const { files, put } = counting(place().files);
    const store = openStore(place().root, { files, bufferBytes: 64 * 1024 });
    const writer = await store.createRun({ id: "one" });
    // Ten times the bound.
    for (const text of TEXTS) await add(writer, text);
    expect(put()).toBeGreaterThan(0);
    await writer.close();
    await store.close();
  });

  test("a metric that is called like a field of every line is refused by name", async () => {
    const store = openStore(place().root);
    const writer = await store.createRun({ id: "one" });
    for (const name of ["step", "time"]) {
      await expect(writer.addMetrics(7, { loss: 1, [name]: 99 })).rejects.toMatchObject({ code: "bad-metric" });
    }
    await writer.addMetrics(7, { loss: 0.5 });
    await writer.close();
    expect((await store.query("select step, name, value from metrics")).rows).toEqual([[7, "loss", 0.5]]);
    const lines = (await readFile(place().files.location("one/metrics.jsonl"), "utf8")).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ step: 7, loss: 0.5 }]);
    expect(await collect(store.trajectories())).toEqual([]);
    await store.close();
  });
});

function madeText(piece: number): string {
  return Array.from({ length: 8 * 128 }, (_, at) =>
    ((piece * 7919 + at * 104_729) % 16_777_216).toString(16).padStart(8),
  ).join("");
}
