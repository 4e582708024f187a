/** Rollouts that go on with one run at the same time. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { openStore } from "limbeck-store/store/open-store";

const newFolder = temporaryFolders();

test("three rollouts that resume one run of an empty store store no id twice, and who is refused is refused by name", async () => {
  const cwd = await newFolder();
  const words = ["rollout", "--env", "countdown", "--policy", "expert", "--count", "4", "--group", "2", "--json"];
  const roll = (): ReturnType<typeof limbeck> => limbeck([...words, "--run", "shared", "--resume"], { cwd });
  const all = await Promise.all([roll(), roll(), roll()]);
  const done = all.filter(({ code }) => code === 0).length;
  for (const { code, err } of all.filter((one) => one.code !== 0)) {
    const { error } = JSON.parse(err) as { readonly error: { readonly message: string } };
    expect([code, error]).toEqual([1, expect.objectContaining({ code: "run-busy" })]);
    expect(error.message).toMatch(/^Run "shared" in .* is being written by process \d+/);
  }
  expect(done).toBeGreaterThan(0);
  const store = openStore(join(cwd, "runs"));
  const { rows } = await store.query("select count(*), count(distinct id) from trajectories", { run: "shared" });
  expect(rows).toEqual([[8 * done, 8 * done]]);
  await store.close();
});
