import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "limbeck-store/store/open-store";
import { limbeck, type FakeOptions } from "../../../../../test/support/fake-io.ts";
import { sampleStore } from "../../../../../test/support/sample-store.ts";

let store: Awaited<ReturnType<typeof sampleStore>>;
beforeEach(async () => {
  store = await sampleStore();
});
afterEach(() => store.remove());

const runs = (words: readonly string[], options: FakeOptions = {}) =>
  limbeck(["runs", ...words], { env: { LIMBECK_STORE: store.root }, ...options });
const ids = async () => (await runs(["list", "--json"])).objects().map((run) => run["id"]);

test("lists runs: what each is, how far it is, how often it succeeds", async () => {
  const { code, out } = await runs([]);
  expect(code).toBe(0);
  const [, , demo, evil, ...end] = out.split("\n");
  // What was written a moment ago counts as running.
  expect(demo).toMatch(/^demo {2}rollout {2}(running|stored) +0\.500 \[0\.095, 0\.905\] train +2 +2026-03-04 05:06$/);
  expect(evil).toMatch(/^evil {2}import {3}(running|stored) +none judged +1 +2026-03-04 05:06$/);
  expect(end).toEqual(["", `2 runs, 5 steps stored in ${store.root}`, ""]);
});

test("of a training: the recipe, its updates, success before and now, the time it took", async () => {
  const opened = openStore(store.root);
  const writer = await opened.createRun({
    id: "trained",
    kind: "train",
    config: { recipe: "opid", env: 'household {"dial":"tiny"}', updates: 20 },
  });
  for (const [phase, update, success] of [
    ["before", 0, 0.235],
    ["validation", 10, 0.5],
  ] as const) {
    const interval = { low: success - 0.05, high: success + 0.05 };
    await writer.addEvent("evaluation", { phase, update, success, ...interval, tasks: 200 });
  }
  await writer.addMetrics(12, { success: 0.6, "spent/seconds": 75 });
  await writer.close();
  await opened.close();
  const { out } = await runs(["--last", "1"]);
  expect(out).toMatch(
    /^trained  opid · household \(dial tiny\)  running at 12\/20  0\.235 → 0\.500 \[0\.450, 0\.550\]         0  1 min 15 s  /m,
  );
  expect(out).toContain("1 run, 0 steps stored");
  expect(out).toContain("; 2 older");
  const [object] = (await runs(["--last", "1", "--json"])).objects();
  expect(object).toMatchObject({
    id: "trained",
    status: "running",
    updates: { done: 12, planned: 20 },
    success: { phase: "validation", value: 0.5 },
    before: { value: 0.235 },
    seconds: 75,
  });
});

test("shows one run", async () => {
  const { out } = await runs(["show", "de"]);
  expect(out).toContain(
    "run        demo\nkind       rollout\ncreated    2026-03-04 05:06 UTC\nholds      2 trajectories, 4 steps\n",
  );
  expect(out).toContain('made with  {"seed":7}\n');
});

test("deletes after a yes, and not after anything else", async () => {
  expect((await runs(["delete", "demo"], { answer: "no" })).out).toBe("Kept.\n");
  expect(await ids()).toEqual(["demo", "evil"]);
  expect((await runs(["delete", "demo"], { answer: "y" })).out).toMatch(
    /^Deleted run demo \(2 trajectories, .* kB\)\.\n$/,
  );
  expect(await ids()).toEqual(["evil"]);
});

test("refuses to delete where nobody can be asked, unless told", async () => {
  const refused = await runs(["delete", "demo"]);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain("Add --yes to delete it.");
  expect((await runs(["delete", "demo", "--yes", "--json"])).objects()).toEqual([{ id: "demo", deleted: true }]);
  expect(await ids()).toEqual(["evil"]);
});

test("a wrong id names the nearest; a path is no id", async () => {
  expect((await runs(["show", "dmeo"])).err).toBe('error    No run "dmeo". Did you mean "demo"? Known: demo, evil.\n');
  for (const id of ["../../../../../src/cli/demo", "..", "/", "", "."]) {
    expect((await runs(["delete", id, "--yes"])).code).toBe(2);
  }
  expect(await ids()).toEqual(["demo", "evil"]);
});

test("an empty store says what to do", async () => {
  const { code, out, err } = await limbeck(["runs", "--store", `${store.root}/none`]);
  expect([code, out, err]).toEqual([
    0,
    `No runs in ${store.root}/none.\n`,
    "Make one: limbeck demo, or limbeck train. Bring recorded ones in: limbeck import FILE\n",
  ]);
});
