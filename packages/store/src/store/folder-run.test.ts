/** The run of a row is its folder, whatever its segments say. */
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { collect, filledOnce, temporaryFolder } from "../../../../test/support/stores.ts";
import { openStore } from "./open-store.ts";

const folder = temporaryFolder();

/** A run of two commits with rows in every table, and a folder that was copied from it and given another name. */
const copyStore = filledOnce(async (root) => {
  const store = openStore(root);
  const writer = await store.createRun({ id: "giver" });
  for (const id of ["a", "b"]) {
    await writer.append(madeFrom(id));
    await writer.addReward(id, { name: "success", source: "person", score: { kind: "scored", value: 1 } });
    await writer.addSkill({ id: "s", level: "step", text: "Look." });
    await writer.addMetrics(1, { loss: 1 });
    await writer.addEvent("note");
    await writer.commit();
  }
  await writer.close();
  await store.close();
  await cp(join(root, "giver"), join(root, "taker"), { recursive: true });
  const file = join(root, "taker", "run.json");
  await writeFile(file, (await readFile(file, "utf8")).replace('"giver"', '"taker"'));
});

const BOTH = [
  ["giver", 2],
  ["taker", 2],
];

// One that stays open sees the compaction happen.
test.each([
  [false, ["committed"]],
  [false, ["compacted"]],
  [true, ["committed", "compacted"]],
])("every view counts the rows of a folder for its run; kept open: %s, %j", async (keepOpen, states) => {
  await copyStore(folder());
  const store = openStore(folder(), { keepOpen });
  const steps = ["a", "b"].reduce((sum, id) => sum + madeFrom(id).steps.length, 0);
  // Of rewards one was stored with each trajectory, and one came later.
  const rows = { events: 2, metrics: 2, rewards: 4, skills: 2, steps, tasks: 2, trajectories: 2 };
  const counts = Object.keys(rows).map((view) => `select '${view}' as part, run, count(*) from ${view} group by run`);
  const count = async (options = {}): Promise<unknown> =>
    (await store.query(`${counts.join(" union all ")} order by part, run`, options)).rows;
  const of = (...runs: string[]): unknown =>
    Object.entries(rows).flatMap(([view, each]) => runs.map((run) => [view, run, each]));
  for (const state of states) {
    if (state === "compacted") await store.compact({ graceMs: 0 });
    expect(await count()).toEqual(of("giver", "taker"));
    expect(await count({ trusted: true })).toEqual(of("giver", "taker"));
    expect(await count({ run: "taker" })).toEqual(of("taker"));
    expect((await store.query("select distinct run from tokens order by run")).rows).toEqual([["giver"], ["taker"]]);
    expect((await store.query("select count(*) from trajectories where run = 'taker' and success")).rows).toEqual([
      [2],
    ]);
    const list = keepOpen ? store : openStore(folder(), { keepOpen: true });
    const { rows: listed } = await list.list("select run, count(*) from listed group by run order by run");
    expect(listed).toEqual(BOTH);
    if (list !== store) await list.close();
    expect((await collect(store.trajectories({ run: "taker" }))).map(({ id }) => id)).toEqual(["a", "b"]);
  }
  await store.close();
});
