import { afterEach, beforeEach, expect, test } from "vitest";
import { limbeck, type FakeOptions } from "../../../test/support/fake-io.ts";
import { sampleStore } from "../../../test/support/sample-store.ts";

let store: Awaited<ReturnType<typeof sampleStore>>;
beforeEach(async () => {
  store = await sampleStore();
});
afterEach(() => store.remove());

const runs = (words: readonly string[], options: FakeOptions = {}) =>
  limbeck(["runs", ...words], { env: { LIMBECK_STORE: store.root }, ...options });
const ids = async () => (await runs(["list", "--json"])).objects().map((run) => run["id"]);

test("lists runs", async () => {
  const { code, out } = await runs([]);
  expect(code).toBe(0);
  const lines = out.split("\n").map((line) => line.replace(/ +[\d.]+ kB$/, " SIZE"));
  expect(lines.slice(2)).toEqual([
    "demo  rollout  2026-03-04 05:06             2      4 SIZE",
    "evil  import   2026-03-04 05:06             1      1 SIZE",
    "",
    `2 runs, 5 steps in ${store.root}`,
    "",
  ]);
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
  for (const id of ["../demo", "..", "/", "", "."]) {
    expect((await runs(["delete", id, "--yes"])).code).toBe(2);
  }
  expect(await ids()).toEqual(["demo", "evil"]);
});

test("an empty store says what to do", async () => {
  const { code, out, err } = await limbeck(["runs", "--store", `${store.root}/none`]);
  expect([code, out, err]).toEqual([0, `No runs in ${store.root}/none.\n`, "Bring some in: limbeck import FILE\n"]);
});
