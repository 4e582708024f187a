/** What was said of a trajectory, in a store that is read by many threads. */
import { expect, test } from "vitest";
import { sampleTrajectory } from "../../test/support/samples.ts";
import { temporaryFolder } from "../../test/support/stores.ts";
import { scored, unscored, type Trajectory } from "../trajectory/index.ts";
import { openStore, type Store } from "./index.ts";

const folder = temporaryFolder();

const bare = (id: string): Trajectory =>
  sampleTrajectory(id, { success: null, reward: unscored("no outcome yet"), steps: [] });

async function fill(store: Store, run: string, ...trajectories: Trajectory[]): Promise<void> {
  const writer = await store.createRun({ id: run });
  for (const trajectory of trajectories) await writer.append(trajectory);
  await writer.close();
}

test("the order stays where many threads read a run with feedback, between runs without", async () => {
  const store = openStore(folder());
  // Three row groups, and an order that is none of the ids.
  const ids = Array.from({ length: 20_000 }, (_, at) => `t${(at * 7919) % 20_000}`);
  await fill(store, "a", bare("first"));
  await fill(store, "b", ...ids.map((id) => bare(id)));
  await fill(store, "c", bare("last"));
  const writer = await store.openRun("b");
  await writer.addReward("t1", { name: "success", source: "person", score: scored(1) });
  await writer.close();
  const { rows } = await store.query("select id from trajectories");
  expect(rows.flat()).toEqual(["first", ...ids, "last"]);
  const { rows: good } = await store.query("select run, id from trajectories where success");
  expect(good).toEqual([["b", "t1"]]);
}, 60_000);
