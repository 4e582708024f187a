/** What was said of a trajectory, in a store that is read by many threads. */
import { expect, test } from "vitest";
import { bare, bySql, everyReader, fill, said, say, type Told } from "../../../../test/support/outcomes.ts";
import { sampleStep } from "../../../../test/support/samples.ts";
import { collect, temporaryFolder } from "../../../../test/support/stores.ts";
import { scored, unscored } from "limbeck-base/trajectory/score";
import { openStore } from "./open-store.ts";

const folder = temporaryFolder();

test("the order stays where many threads read a run with feedback, between runs without", async () => {
  const store = openStore(folder());
  // Three row groups, and an order that is none of the ids.
  const ids = Array.from({ length: 20_000 }, (_, at) => `t${(at * 7919) % 20_000}`);
  await fill(store, "a", bare("first", { steps: [] }));
  await fill(store, "b", ...ids.map((id) => bare(id, { steps: [] })));
  await fill(store, "c", bare("last", { steps: [] }));
  const writer = await store.openRun("b");
  await writer.addReward("t1", { name: "success", source: "person", score: scored(1) });
  await writer.close();
  const { rows } = await store.query("select id from trajectories");
  expect(rows.flat()).toEqual(["first", ...ids, "last"]);
  const { rows: good } = await store.query("select run, id from trajectories where success");
  expect(good).toEqual([["b", "t1"]]);
}, 60_000);

test("feedback on one run reaches every reader of that run and of no other, and the last word counts", async () => {
  const store = openStore(folder());
  const branch = bare("a~1", { parent: { trajectory: "a", step: 1 }, steps: [sampleStep(1)] });
  await fill(store, "one", bare("a"), bare("b", { success: false, reward: scored(0.5) }), bare("c"), branch);
  await fill(store, "two", bare("a"));
  await say(store, "one", "a", said("success", 0), said("score", 0.25));
  await say(store, "one", "a", said("success", 1), said("polite", 0));
  // A word about one step, and a judge that failed, tell no outcome.
  await say(store, "one", "c", said("success", 1, { step: 0 }), { ...said("score", 0), score: unscored("timed out") });
  await say(store, "one", "b", said("success", 1));
  await say(store, "one", "a~1", said("success", 0));
  const told: Told[] = [
    ["one", "a", true, 0.25, null],
    ["one", "b", true, 0.5, null],
    ["one", "c", null, null, "no outcome yet"],
    ["one", "a~1", false, null, "no outcome yet"],
    ["two", "a", null, null, "no outcome yet"],
  ];
  expect(await everyReader(store)).toEqual([told, told, told]);
  expect(await bySql(store, "two")).toEqual(told.slice(4));
  // Conditions are asked of the same columns.
  const ids = async (where: string): Promise<string[]> =>
    (await collect(store.trajectories({ where }))).map(({ id }) => id);
  expect(await ids("success")).toEqual(["a", "b"]);
  expect(await ids("success is null")).toEqual(["c", "a"]);
  expect(await ids("reward < 0.3 and unscored is null")).toEqual(["a"]);
  expect((await collect(store.trajectories({ run: "one", ids: ["b"], where: "success" }))).map(({ id }) => id)).toEqual(
    ["b"],
  );
  // What was said stays readable, word by word.
  const { rows } = await store.query("select name, value from rewards where trajectory = 'a' and run = 'one'");
  expect(rows).toHaveLength(4);
  await store.compact({ graceMs: 0 });
  expect(await everyReader(store)).toEqual([told, told, told]);
  await say(store, "one", "a", said("success", 0));
  const [first, ...rest] = told;
  const after = [[...(first ?? []).slice(0, 2), false, 0.25, null], ...rest];
  expect(await everyReader(store)).toEqual([after, after, after]);
});
