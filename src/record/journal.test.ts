import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openJournal } from "./journal.ts";

test("a journal of a dead process that cannot be read is a failure; it is not taken for an empty one and removed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-journal-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  expect((await openJournal(join(folder, "none"))).left).toEqual([]);
  // No file, which reading says; no process has this number.
  const name = "journal-999999999-ab.calls.jsonl";
  await mkdir(join(folder, name));
  await expect(openJournal(folder)).rejects.toThrow("EISDIR");
  expect(await readdir(folder)).toEqual([name]);
});
