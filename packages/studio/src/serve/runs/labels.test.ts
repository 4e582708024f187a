import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { NO_LABELS } from "../api/labels.ts";
import { createLabelShelf } from "./run-list.ts";

const temporaryFolder = temporaryFolders();

test("what is said of a run survives a restart, and what was recorded is as it was", async () => {
  const root = await temporaryFolder();
  await mkdir(join(root, "a"));
  await writeFile(join(root, "a", "run.json"), "{}");
  const shelf = createLabelShelf(root);
  expect(await shelf.read("a")).toEqual(NO_LABELS);
  const first = await shelf.change("a", { version: 0, tags: ["b ", "a", "b", ""], note: "good" });
  expect(first).toEqual({ version: 1, tags: ["a", "b"], note: "good", pinned: false, archived: false });
  const second = await shelf.change("a", { version: 1, pinned: true });
  expect(second).toEqual({ ...first, version: 2, pinned: true });
  expect(await createLabelShelf(root).read("a")).toEqual(second);
  expect(await shelf.read("a")).toEqual(second);
  expect((await readdir(join(root, "a"))).toSorted()).toEqual(["labels", "run.json"]);
  expect(await readFile(join(root, "a", "run.json"), "utf8")).toBe("{}");
});

test("of many who change the same at once, one is heard; the others are told", async () => {
  const root = await temporaryFolder();
  const shelves = Array.from({ length: 12 }, () => createLabelShelf(root));
  const ended = await Promise.allSettled(
    shelves.map((shelf, at) => shelf.change("a", { version: 0, tags: [`t${at}`] })),
  );
  const heard = ended.filter(({ status }) => status === "fulfilled");
  const refused = ended.filter((one) => one.status === "rejected");
  expect(heard.length).toBe(1);
  expect(refused.map(({ reason }: PromiseRejectedResult) => (reason as { code: string }).code)).toEqual(
    Array.from({ length: 11 }, () => "labels-changed"),
  );
  expect((await shelves[0]?.read("a"))?.version).toBe(1);
  // Who looks again may say it again: no change of another is lost.
  for (const shelf of shelves) {
    const { version, tags } = await shelf.read("a");
    await shelf.change("a", { version, tags: [...tags, `again-${version}`] });
  }
  expect((await shelves[0]?.read("a"))?.tags.filter((tag) => tag.startsWith("again-")).length).toBe(12);
});

test("few old ones are kept, and one that was broken by hand says nothing but blocks nothing", async () => {
  const root = await temporaryFolder();
  const shelf = createLabelShelf(root);
  for (let version = 0; version < 25; version += 1) await shelf.change("a", { version, note: String(version) });
  expect((await readdir(join(root, "a", "labels"))).length).toBe(20);
  await writeFile(join(root, "a", "labels", "00000026.json"), "{");
  expect(await createLabelShelf(root).read("a")).toEqual({ ...NO_LABELS, version: 26 });
  expect((await shelf.change("a", { version: 26, note: "new" })).version).toBe(27);
});
