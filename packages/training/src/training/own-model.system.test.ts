/** One's own model in a training: how it is spoken to, what ends its answers, an adapter, and a world without a demonstrator. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { playedUpdate } from "../../../../test/support/played-update.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { openModel } from "limbeck-policy/policy/local/open-model";
import type { TrainEvent } from "./events.ts";

const newFolder = temporaryFolders();

test("an adapter learns in the place of the weights; the model is opened with it, and the run resumes", async () => {
  const root = await newFolder();
  await writeTinyModel(join(root, "start"), 1, 1_024);
  const more = { lora: 2, dir: join(root, "adapted"), report: { tasks: 1 } };
  const { dir } = more;
  const events: TrainEvent[] = [];
  // A random model earns nothing: what it learns is the entropy bonus.
  const settings = { learningRate: 0.01, klWeight: 0.1, entropyWeight: 0.5 };
  await playedUpdate(root, settings, { ...more, onEvent: (event) => events.push(event) });
  const start = await openModel(join(root, "start"), { threads: 1 });
  const trained = await openModel(join(dir, "model"), { threads: 1 });
  try {
    expect(Buffer.from(trained.weights.flat.buffer).equals(Buffer.from(start.weights.flat.buffer))).toBe(true);
    expect(trained.adapter?.lora.rank).toBe(2);
    // B begins at 0; what is not 0 was learned.
    const views = Object.entries(trained.adapter?.weights.views ?? {});
    const learned = views.filter(([name, view]) => name.includes("lora_B") && view.some((value) => value !== 0));
    expect(learned.length).toBeGreaterThan(0);
    expect(events[0]).toMatchObject({ kind: "start", parameters: trained.adapter?.weights.flat.length });
  } finally {
    await start.close();
    await trained.close();
  }
  expect(await readdir(join(dir, "model"))).toEqual(expect.arrayContaining(["adapter_config.json"]));
  const again: TrainEvent[] = [];
  await playedUpdate(root, settings, { ...more, resume: true, steps: 2, onEvent: (event) => again.push(event) });
  expect(again[0]).toMatchObject({ kind: "start", from: 1 });
  await expect(playedUpdate(root, settings, { ...more, lora: 4, resume: true, steps: 3 })).rejects.toMatchObject({
    code: "other-training",
    details: { differing: [{ name: "lora", had: "2", has: "4" }] },
  });
  await expect(playedUpdate(root, {}, { lora: 2, lag: 1, report: { tasks: 1 } })).rejects.toThrow(
    "cannot go with --lag or --fleet",
  );
}, 60_000);
