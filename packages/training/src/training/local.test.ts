import { link, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { grpo } from "limbeck-core/credit/grpo";
import type { TrainProgress } from "./checkpoint.ts";
import { openLocal } from "./local.ts";

const newFolder = temporaryFolders();

test("a teacher's average that is saved again is replaced, never emptied first: a kill leaves one that can be read", async () => {
  const dir = await newFolder();
  const model = join(dir, "start");
  await writeTinyModel(model);
  const plan = { model, credit: grpo, settings: { teacher: "ema", teacherDecay: 0.9 } as never, threads: 1, seed: 1 };
  const place = { environment: {}, dir, checkpoint: join(dir, "model"), begun: false };
  const opened = await openLocal({ ...plan, ...place });
  try {
    await opened.teach(0);
    const reached = { update: 0 } as TrainProgress;
    await opened.save(reached);
    const saved = join(dir, "teacher-0.f32");
    const before = await stat(saved);
    // A second name of the same bytes: whoever writes into the file in place empties it for both.
    await link(saved, join(dir, "seen"));
    await opened.save(reached);
    expect((await stat(join(dir, "seen"))).ino).toBe(before.ino);
    expect((await stat(saved)).ino).not.toBe(before.ino);
    expect((await stat(saved)).size).toBe(before.size);
    expect((await readdir(dir)).filter((name) => name.includes("teacher"))).toEqual(["teacher-0.f32"]);
  } finally {
    await opened.close();
  }
});
