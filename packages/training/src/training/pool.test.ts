import { beforeAll, describe, expect, test } from "vitest";
import { createLuckyWorld } from "../../../../test/support/lucky-world.ts";
import { poolRuns } from "../../../../test/support/pool-runs.ts";
import type { RecipeId } from "limbeck-core/recipe/registry";
import { planTraining } from "./plan.ts";
import type { TrainOptions } from "./options.ts";

const { planOf, trained, storedTasks, eventsOf } = poolRuns();

/** The plain run over a pool of four tasks, two an update. */
let kept: Awaited<ReturnType<typeof trained>>;
beforeAll(async () => void (kept = await trained("kept", { "tasks.pool": 4 })));

describe.each([
  { strategy: "archive", metric: "strategy/archiveHits", counts: "earlier successes given back" },
  { strategy: "chain", metric: "strategy/skillsCarried", counts: "skills that episodes began with" },
])("$strategy", ({ strategy, metric, counts }) => {
  test("over a pool it differs from group and counts what it did", async () => {
    const own = await trained(strategy, { "tasks.pool": 4 }, { strategy });
    expect(own.total(metric)).toBeGreaterThan(0);
    expect(own.rewards).not.toEqual(kept.rewards);
    expect(own.notices).toEqual([]);
  });

  test("where it had no effect it says so in one line at the end, and the run keeps the line", async () => {
    // Nothing is ever right, so that there is nothing to give back and nothing to carry.
    const hopeless = { env: createLuckyWorld(1e9), strategy };
    const { notices, total } = await trained(`${strategy}-in-vain`, { "tasks.pool": 4 }, hopeless);
    expect(total(metric)).toBe(0);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(
      `The strategy ${strategy} had no effect in this run: ${counts}, ${metric}, stayed 0 over 4 updates. `,
    );
    expect(await eventsOf(`${strategy}-in-vain`, "notice")).toEqual([{ update: 4, message: notices[0] }]);
  });
});

test("without a pool tasks never come again: archive is group to the last digit, and says so", async () => {
  const plain = await trained("endless-group", {});
  const own = await trained(
    "endless-archive",
    { "tasks.pool": null, "strategy.dropAlike": false },
    { strategy: "archive" },
  );
  expect(own.rewards).toEqual(plain.rewards);
  expect(own.notices[0]).toContain("The strategy archive had no effect in this run");
});

test("a run keeps its pool, visits each task once before any twice, and says how often they were visited", async () => {
  const { updates } = kept;
  const [first, second, third, fourth] = await storedTasks("kept");
  const ids = [0, 1, 2, 3].map((at) => `lucky-train-${100_000 + at}`);
  expect([...(first ?? []), ...(second ?? [])].toSorted()).toEqual(ids);
  expect([...(third ?? []), ...(fourth ?? [])].toSorted()).toEqual(ids);
  expect(await eventsOf("kept", "pool")).toEqual([{ update: 0, tasks: ids }]);
  expect(updates.map(({ metrics }) => metrics["tasks/visitsBefore"])).toEqual([0, 0, 1, 1]);
  // How often each was played is kept too: every event names the episodes of its update.
  const counts = (await eventsOf("kept", "tasks")) as { readonly episodes: Record<string, number> }[];
  const total = (id: string): number => counts.reduce((sum, { episodes }) => sum + (episodes[id] ?? 0), 0);
  expect([...new Set(ids.map(total))]).toEqual([updates[0]?.episodes]);
});

test("a world whose tasks have changed is refused when a run is resumed", async () => {
  await trained("changed", { "tasks.pool": 4 }, { steps: 1 });
  const other = { steps: 2, env: createLuckyWorld(3, "other") };
  await expect(trained("changed", { "tasks.pool": 4 }, other)).rejects.toMatchObject({
    code: "other-training",
    message: expect.stringContaining('holds "lucky-train-100000"') as string,
  });
});

test("a strategy that lives on repeats takes a pool of 64 by itself, others none; both can be told otherwise", async () => {
  const pool = async (more: Partial<TrainOptions<RecipeId, string>>, given = {}): Promise<unknown> =>
    (await planTraining(planOf("planned", given, more))).settings.tasks.pool;
  for (const strategy of ["archive", "curriculum"]) expect(await pool({ strategy })).toBe(64);
  for (const strategy of ["replay", "chain"]) expect(await pool({ strategy })).toBeNull();
  expect(await pool({ strategy: "archive" }, { "tasks.pool": 8 })).toBe(8);
  expect(await pool({ settings: { tasks: { pool: 32 } } })).toBe(32);
  await expect(pool({}, { "tasks.pool": 1 })).rejects.toThrow(
    "The setting tasks.pool is 1, and an update plays 2 tasks, each once. Give a pool of at least 2, or --set tasks=1.",
  );
});
