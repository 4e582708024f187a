import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { newRunFolder, validationSplit } from "./parts.ts";

const newFolder = temporaryFolders();

test("runs that begin in the same second have folders of their own", async () => {
  const root = join(await newFolder(), "runs");
  const now = Date.parse("2026-11-16T14:00:00.250Z");
  const folders = await Promise.all([1, 2, 3].map(() => newRunFolder(root, "opid", now)));
  const names = ["opid-20261116-140000", "opid-20261116-140000-2", "opid-20261116-140000-3"];
  expect(folders.toSorted()).toEqual(names.map((name) => join(root, name)));
  expect((await readdir(root)).toSorted()).toEqual(names);
});

test("settings are never chosen on test tasks", () => {
  const end = Number.POSITIVE_INFINITY;
  expect(validationSplit({ train: end, valid: end, test: end })).toBe("valid");
  expect(validationSplit({ train: end, valid_seen: end, test: end })).toBe("valid_seen");
  expect(validationSplit({ train: 3, test: 3 })).toBe("train");
  expect(validationSplit({ games: 3 })).toBe("games");
});
