import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";

// What it lists is tested with feedback, in packages/store/src/record/feedback.test.ts.
test("an empty store says what to do, and a broken price list what it should hold", async () => {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-traces-"));
  const { code, out, err } = await limbeck(["traces", "--store", folder]);
  expect([code, out]).toEqual([0, `Nothing recorded in ${folder} matches.\n`]);
  expect(err).toContain("limbeck proxy");
  expect((await limbeck(["traces", "--prices", join(folder, "none.json")])).code).toBe(3);
  expect((await limbeck(["traces", "--since", "yesterday"])).code).toBe(2);
  await rm(folder, { recursive: true });
});
