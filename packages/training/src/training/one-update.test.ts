import { expect, test } from "vitest";
import { oneTask, tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { scriptedEvent, scriptedRecord } from "../../../../test/support/scripted-updates.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { creditRows, type CreditRow } from "limbeck-store/report/credit";
import { openStore } from "limbeck-store/store/open-store";
import { recordUpdate } from "./one-update.ts";

const temporaryFolder = temporaryFolders();

test("a metric of a recipe that is called like one of every update is stored as the recipe's", async () => {
  const store = openStore(await temporaryFolder());
  const writer = await store.createRun({ id: "run" });
  const sizes = { least: 20, most: 20 };
  const event = scriptedEvent(3, 7);
  const metrics = { ...event.metrics, success: 9, step: 8, time: 6, "seconds/learn": 5, "own/loss": 4 };
  await recordUpdate(writer, scriptedRecord(3, sizes), { ...event, metrics }, []);
  await writer.close();
  const { rows } = await store.query(
    "select name, value from metrics where step = 3 and (name like 'recipe/%' or name in ('success', 'seconds/learn', 'own/loss')) order by name",
  );
  expect(rows).toEqual([
    ["own/loss", 4],
    ["recipe/seconds/learn", 5],
    ["recipe/step", 8],
    ["recipe/success", 9],
    ["recipe/time", 6],
    ["seconds/learn", 0],
    ["success", 0.5],
  ]);
  expect((await store.query("select distinct step from metrics")).rows).toEqual([[3]]);
  await store.close();
});

/** The credit that the store holds after one update, and what the learner measured. */
async function stored(
  given: Readonly<Record<string, unknown>>,
): Promise<{ readonly rows: readonly CreditRow[]; readonly metrics: Readonly<Record<string, number>> }> {
  const { record, model } = await tryRecipe("opid", { collect: oneTask, given });
  await model.close();
  const store = openStore(await temporaryFolder());
  const writer = await store.createRun({ id: "run", kind: "train", config: {} });
  const phases = { collect: 0, analyse: 0, rescore: 0, credit: 0, learn: 0 };
  const spent = { environmentSteps: 0, sampledTokens: 0, modelTokens: 0, updateSeconds: 0, seconds: 0 };
  const figures = { update: 1, updates: 1, success: 0, episodes: 0, reward: 0, entropy: 0, seconds: 0 };
  await recordUpdate(writer, record, { kind: "update", ...figures, metrics: {}, phases, spent }, []);
  await writer.close();
  const { rows } = await store.query("select data from events where kind in ('credit', 'credit-group')", {
    run: "run",
  });
  await store.close();
  return { rows: rows.flatMap(([data]) => creditRows(JSON.parse(String(data)))), metrics: record.metrics };
}

test.for<Readonly<Record<string, unknown>>>([
  { form: "forward" },
  { form: "forward", candidates: 8 },
  { form: "reverse", candidates: 8 },
])("the divergence that was learned from is stored at its tokens: %o", async (given) => {
  const { rows, metrics } = await stored(given);
  const told = rows.filter(({ divergence }) => divergence !== undefined);
  expect(told.length).toBeGreaterThan(0);
  for (const { divergence = [], advantages, shift } of told) {
    expect(divergence.length).toBe(advantages.length);
    expect(divergence.every((one) => one >= 0)).toBe(true);
    expect(shift?.length).toBe(divergence.length);
  }
  // The learner's own mean is over the same tokens.
  const values = told.flatMap(({ divergence = [] }) => divergence);
  const [name] = Object.keys(metrics).filter((one) => one.endsWith("/divergence"));
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  expect(mean).toBeCloseTo(metrics[name ?? ""] ?? Number.NaN, 4);
});

test("where the shift is what is learned from, no divergence is told", async () => {
  const { rows } = await stored({ form: "shift" });
  expect(rows.some(({ shift }) => shift !== undefined)).toBe(true);
  expect(rows.some(({ divergence }) => divergence !== undefined)).toBe(false);
});
