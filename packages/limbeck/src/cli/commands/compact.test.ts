import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { sampleStore } from "../../../../../test/support/sample-store.ts";

let store: Awaited<ReturnType<typeof sampleStore>>;
beforeAll(async () => {
  store = await sampleStore();
});
afterAll(() => store.remove());

const compact = (...words: string[]) => limbeck(["compact", ...words, "--store", store.root]);

test("reports each run, or the one asked for", async () => {
  const { code, objects } = await compact("--grace", "1m", "--json");
  expect([code, objects().map((report) => report["run"])]).toEqual([0, ["demo", "evil"]]);
  expect((await compact("--run", "demo", "--json")).objects()).toHaveLength(1);
  expect((await compact()).out).toMatch(/^run +segments +size +old files deleted\n/);
});

test("a wrong time or run is refused", async () => {
  expect((await compact("--grace", "soon")).err).toContain(
    '--grace must be a time such as 90s, 15m, 1h or 2d; got "soon".',
  );
  expect((await compact("--run", "dmo")).err).toContain('Did you mean "demo"?');
});

test("an empty store has nothing to compact", async () => {
  const { code, out } = await limbeck(["compact", "--store", `${store.root}/none`]);
  expect([code, out]).toEqual([0, "Nothing to compact: the store has no runs.\n"]);
});
