import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtChild } from "../../../../test/support/built-child.ts";
import { startChild } from "../../../../test/support/kill-children.ts";
import { collect } from "../../../../test/support/stores.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { weightsHash } from "../../../../test/support/weights-hash.ts";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { openStore } from "limbeck-store/store/open-store";

const UPDATES = 7;
const KILLS = 4;
const newFolder = temporaryFolders();
const program = builtChild("kill-recipe");

/** One life of the training; it is killed a random moment after a random line, or lives to the end. */
async function live(model: string, dir: string, strategy: string, rng: Rng | undefined): Promise<string | null> {
  const child = startChild(program(), [model, dir, String(UPDATES), strategy]);
  const [after, delayMs] = [1 + (rng?.int(4) ?? 0), (rng?.float() ?? 0) * 40];
  child.lines.on("line", () => {
    if (rng !== undefined && child.said.length === after) setTimeout(() => child.process.kill("SIGKILL"), delayMs);
  });
  const signal = await child.ended;
  expect(child.errors.join("")).toBe("");
  return signal;
}

async function storedOf(root: string, run: string): Promise<unknown> {
  const store = openStore(root);
  try {
    const counts = await store.query("select kind, count(*) from events group by kind order by kind", { run });
    const trajectories: string[] = [];
    for await (const { id } of store.trajectories({ run })) trajectories.push(id);
    const metrics = await store.query(
      "select step, count(*) from metrics where name = 'loss' group by step order by step",
      {
        run,
      },
    );
    return { events: counts.rows, trajectories, metrics: metrics.rows };
  } finally {
    await store.close();
  }
}

/** Episodes that were begun in one update and learned from in a later one. */
async function resumedIn(root: string, run: string): Promise<number> {
  const store = openStore(root);
  try {
    const all = await collect(store.trajectories({ run }));
    return all.filter(({ info }) => Object.hasOwn((info?.["partial"] ?? {}) as object, "resumed")).length;
  } finally {
    await store.close();
  }
}

test.each(["group", "partial"])(
  "a run killed again and again ends with the parameters and the lake of the uninterrupted one: %s",
  async (strategy) => {
    const root = await newFolder();
    const model = join(root, "start");
    await writeTinyModel(model);
    const runs = join(root, "runs");
    expect(await live(model, join(runs, "whole"), strategy, undefined)).toBeNull();
    expect((await resumedIn(runs, "whole")) > 0).toBe(strategy === "partial");
    let killed = 0;
    for (let kill = 0; kill <= KILLS; kill += 1) {
      const rng = kill < KILLS ? createRng("recipe kills").split(kill) : undefined;
      if ((await live(model, join(runs, "killed"), strategy, rng)) === "SIGKILL") killed += 1;
    }
    expect(killed).toBeGreaterThan(1);
    const whole = await weightsHash(join(runs, "whole", "model"));
    expect(await weightsHash(join(runs, "killed", "model"))).toBe(whole);
    expect(whole).not.toBe(await weightsHash(model));
    expect((await readdir(join(runs, "killed"))).filter((name) => name.startsWith("teacher-"))).toEqual([
      `teacher-${UPDATES}.f32`,
    ]);
    // Whatever was repeated is stored once.
    expect(await storedOf(runs, "killed")).toEqual(await storedOf(runs, "whole"));
  },
  240_000,
);
