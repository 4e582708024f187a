/** Bits that flip, folders that are copied, folders that are no runs. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { collect, temporaryFolder } from "../../../../test/support/stores.ts";
import { storeWith } from "../../../../test/support/two-commits.ts";
import { createRng } from "limbeck-base/base/rng";
import { openStore } from "./open-store.ts";

const folder = temporaryFolder();

const COUNT = "select count(*) from trajectories";

test("300 flipped bits in segments: none is silently wrong", { timeout: 120_000 }, async () => {
  await storeWith(folder(), "run");
  const segments = join(folder(), "run", "segments");
  const names = (await readdir(segments)).filter((name) => name.endsWith(".parquet")).toSorted();
  const rng = createRng("bit flips");
  let noticed = 0;
  for (let flip = 0; flip < 300; flip += 1) {
    const path = join(segments, names[rng.int(names.length)] ?? "");
    const whole = await readFile(path);
    const broken = Buffer.from(whole);
    const [at, bit] = [rng.int(broken.length), rng.int(8)];
    broken[at] = (broken[at] ?? 0) ^ (1 << bit);
    await writeFile(path, broken);
    const store = openStore(folder());
    const error: unknown = await store.query(COUNT).catch((thrown: unknown) => thrown);
    if ((error as { code?: string }).code === "segment-damaged") noticed += 1;
    await store.close();
    await writeFile(path, whole);
  }
  expect(noticed).toBe(300);
  // Whole trajectories and compaction notice it too, and what was mended is read again.
  const store = openStore(folder());
  const path = join(segments, names[0] ?? "");
  const whole = await readFile(path);
  const broken = Buffer.from(whole);
  broken[20] = (broken[20] ?? 0) ^ 1;
  await writeFile(path, broken);
  await expect(collect(store.trajectories({ run: "run" }))).rejects.toMatchObject({ code: "segment-damaged" });
  await expect(store.compact({ run: "run" })).rejects.toMatchObject({ code: "segment-damaged" });
  await writeFile(path, whole);
  expect(await collect(store.trajectories({ run: "run" }))).toHaveLength(2);
  await store.compact({ run: "run" });
  expect((await store.query(COUNT)).rows).toEqual([[2]]);
  await store.close();
});
