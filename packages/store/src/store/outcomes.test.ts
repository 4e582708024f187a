/** Whoever reads a trajectory, by SQL, by list or whole, sees what was said of it after it was stored. */
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  bare,
  bySql,
  cells,
  COLUMNS,
  everyReader,
  fill,
  said,
  say,
  whole,
  type Told,
} from "../../../../test/support/outcomes.ts";
import { collect, temporaryFolder } from "../../../../test/support/stores.ts";
import { tries } from "../../../../test/support/thorough.ts";
import { outcomeOf } from "limbeck-base/trajectory/outcome";
import { scored, unscored } from "limbeck-base/trajectory/score";
import type { Reward } from "limbeck-base/trajectory/trajectory";
import { openStore, openStoreWithSchema } from "./open-store.ts";
import { SCHEMA, type Schema } from "./migrations.ts";
import type { Table, TableName } from "./tables.ts";

const folder = temporaryFolder();

test("feedback may come before its trajectory, and a trajectory may bring feedback with it", async () => {
  const store = openStore(folder());
  const kept = openStore(folder(), { keepOpen: true });
  const listed = async (): Promise<unknown> =>
    (await kept.list("select id, success, reward from listed order by place")).rows;
  await fill(store, "one", bare("a"));
  await say(store, "one", "late", said("success", 1));
  expect(await listed()).toEqual([["a", null, null]]);
  const writer = await store.openRun("one");
  await writer.append(bare("late", { rewards: [said("success", 0), said("score", 0.5)] }));
  await writer.close();
  expect(await listed()).toEqual([
    ["a", null, null],
    ["late", true, 0.5],
  ]);
  const told: Told[] = [
    ["one", "a", null, null, "no outcome yet"],
    ["one", "late", true, 0.5, null],
  ];
  expect(await everyReader(store)).toEqual([told, told, told]);
  await kept.close();
});

test("a store that stays open hears of feedback, through the list and through every way to ask", async () => {
  const store = openStore(folder());
  await fill(store, "one", bare("a"), bare("b"));
  await fill(store, "two", bare("c"));
  const kept = openStore(folder(), { keepOpen: true });
  const ask = async (options = {}): Promise<unknown> =>
    (await kept.query("select id, success from trajectories", options)).rows;
  const list = async (): Promise<unknown> => (await kept.list("select id, success from listed order by stored")).rows;
  expect(await list()).toEqual([
    ["a", null],
    ["b", null],
    ["c", null],
  ]);
  for (const value of [1, 0]) {
    await say(store, "one", "b", said("success", value));
    const told = ["b", value === 1];
    expect(await list()).toEqual([["a", null], told, ["c", null]]);
    expect(await ask()).toEqual([["a", null], told, ["c", null]]);
    for (const trusted of [true, false]) {
      expect(await ask({ run: "one", trusted })).toEqual([["a", null], told]);
      expect(await ask({ run: "one", trusted, around: ["b"] })).toEqual([["a", null], told]);
      expect(await ask({ run: "one", trusted, after: { trajectories: 1 } })).toEqual([told]);
    }
    expect((await collect(kept.trajectories({ run: "one", ids: ["b"] }))).map(({ success }) => success)).toEqual([
      value === 1,
    ]);
  }
  await kept.close();
});

const next = (table: TableName, column: string): Table => ({
  version: SCHEMA.tables[table].version + 1,
  columns: [...SCHEMA.tables[table].columns, { name: column, type: "text" }],
});

test("feedback in a folder of an older version is read through the migrations", async () => {
  const store = openStore(folder());
  await fill(store, "one", bare("a"), bare("b"));
  await say(store, "one", "b", said("score", 0.75));
  const FUTURE: Schema = {
    tables: {
      ...SCHEMA.tables,
      trajectories: next("trajectories", "place"),
      rewards: next("rewards", "reviewer"),
      later_rewards: next("later_rewards", "reviewer"),
    },
    migrations: {
      trajectories: ["select *, 'here' as place from older"],
      rewards: ["select *, 'nobody' as reviewer from older"],
      later_rewards: ["select *, 'nobody' as reviewer from older"],
    },
  };
  const later = openStoreWithSchema(folder(), {}, FUTURE);
  const read = async (): Promise<unknown> =>
    (await later.query("select id, reward, unscored, place from trajectories")).rows;
  const told = [
    ["a", null, "no outcome yet", "here"],
    ["b", 0.75, null, "here"],
  ];
  expect(await read()).toEqual(told);
  await later.compact({ graceMs: 0 });
  expect(await read()).toEqual(told);
  expect((await collect(later.trajectories({ where: "reward > 0.5" }))).map(({ id }) => id)).toEqual(["b"]);
});

const word = fc.record({
  name: fc.constantFrom("success", "score", "polite"),
  value: fc.constantFrom(0, 0.25, 0.5, 1, -1, Number.NaN, Number.POSITIVE_INFINITY),
  // Some judges fail, and some words are about one step.
  kind: fc.constantFrom("whole", "whole", "whole", "failed", "step"),
});
const action = fc.record({
  id: fc.constantFrom("a", "b", "nobody"),
  words: fc.array(word, { minLength: 1, maxLength: 3 }),
});

let sequences = 0;

test("any sequence of feedback tells the same by SQL, by the list and whole, as the words in their order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 3, maxLength: 6 }),
      fc.array(word, { maxLength: 2 }),
      fc.nat(6),
      fc.boolean(),
      async (actions, own, stored, compacts) => {
        const root = join(folder(), String((sequences += 1)));
        const store = openStore(root);
        const kept = openStore(root, { keepOpen: true });
        const rewardOf = ({ name, value, kind }: (typeof own)[number]): Reward => ({
          name,
          source: "person",
          score: kind === "failed" ? unscored("timed out") : scored(value),
          ...(kind === "step" ? { step: 0 } : {}),
        });
        const trajectories = [
          bare("a", { rewards: own.map(rewardOf) }),
          bare("b", { success: false, reward: scored(0.5) }),
        ];
        const expected = new Map(trajectories.map((one) => [one.id, [...one.rewards]]));
        const writer = await store.createRun({ id: "one" });
        for (let at = 0; at <= actions.length; at += 1) {
          // Some feedback comes before the trajectories.
          if (at === Math.min(stored, actions.length)) for (const one of trajectories) await writer.append(one);
          const { id, words } = actions[at] ?? { id: "nobody", words: [] };
          for (const reward of words.map(rewardOf)) {
            await writer.addReward(id, reward);
            expected.get(id)?.push(reward);
          }
          await writer.commit();
          await kept.list("select count(*) from listed");
        }
        if (compacts) await store.compact({ graceMs: 0 });
        const told = trajectories.map((one) =>
          cells({ ...one, ...outcomeOf({ ...one, rewards: expected.get(one.id) ?? [] }) }, "one"),
        );
        const { rows } = await kept.list(`select ${COLUMNS} from listed order by place`);
        expect([await bySql(store), rows, await whole(store)]).toEqual([told, told, told]);
        await store.close();
        await kept.close();
      },
    ),
    { numRuns: tries(2, 12) },
  );
}, 120_000);
