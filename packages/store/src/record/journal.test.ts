import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { openJournal } from "./recordings.ts";

const newFolder = temporaryFolders();

test("of two that find the journal of a dead process one takes it over", async () => {
  const folder = await newFolder();
  // No process has this number.
  await writeFile(join(folder, "journal-99999999-0.calls.jsonl"), "one\ntwo\nhal");
  const both = [
    await openJournal(folder),
    await openJournal(folder),
    ...(await Promise.all([openJournal(folder), openJournal(folder)])),
  ];
  expect(both.flatMap(({ left }) => left)).toEqual(["one", "two"]);
  for (const journal of both) await journal.forget();
  expect(await readdir(folder)).toEqual([]);
});

test("a journal of a dead process that cannot be read is a failure; it is not taken for an empty one and removed", async () => {
  const folder = await newFolder();
  expect((await openJournal(join(folder, "none"))).left).toEqual([]);
  // No file, which reading says; no process has this number.
  await mkdir(join(folder, "journal-999999999-ab.calls.jsonl"));
  await expect(openJournal(folder)).rejects.toThrow("EISDIR");
  expect(await readdir(folder)).toHaveLength(1);
});
