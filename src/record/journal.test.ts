import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../test/support/temporary-folder.ts";
import { openJournal } from "./journal.ts";

const newFolder = temporaryFolders();

test("of two that find the journal of a dead process one takes it over", async () => {
  const folder = await newFolder();
  // No process has this number.
  await writeFile(join(folder, "journal-99999999-0.calls.jsonl"), "one\ntwo\nhal");
  const both = await Promise.all([openJournal(folder), openJournal(folder)]);
  expect(both.flatMap(({ left }) => left)).toEqual(["one", "two"]);
  for (const journal of both) await journal.forget();
  expect(await readdir(folder)).toEqual([]);
});
