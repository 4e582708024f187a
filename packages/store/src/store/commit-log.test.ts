import { expect, test } from "vitest";
import { checkpointPath, commitBytes, commitPath, type Segment } from "./commit-format.ts";
import { appendCommit, readFold, replaceCommit } from "./commit-log.ts";
import { cleanUp } from "./compact.ts";
import { memoryFiles } from "../../../../test/support/memory-files.ts";

const TIME = "2026-01-01T00:00:00.000Z";
const segment = (file: string): Segment => ({ table: "steps", file, rows: 1, bytes: 3, schemaVersion: 1 });
const added = (file: string) => ({ writer: "w", time: TIME, add: [segment(file)] });

/** A clock that is ahead, so that what is written now is old. */
const later = (): Date => new Date(Date.now() + 1000);

/** What a reader sees, in commit order. */
async function live(files: ReturnType<typeof memoryFiles>): Promise<string[]> {
  return (await readFold(files, "r")).parts.flatMap((part) => part.segments.map(({ file }) => file));
}

test("writers that meet take the next number, and nothing is lost", async () => {
  const files = memoryFiles();
  // All of them believe that the log is empty.
  const numbers = await Promise.all(["a", "b", "c"].map((file) => appendCommit(files, "r", 0, added(file))));
  expect(numbers.map(Number).toSorted((left, right) => left - right)).toEqual([1, 2, 3]);
  expect((await live(files)).sort()).toEqual(["a", "b", "c"]);
});

test("a replacement stands where the replaced parts stood", async () => {
  const files = memoryFiles();
  for (const file of ["a", "b", "c"]) await appendCommit(files, "r", 0, added(file));
  const merged = { writer: "c", time: TIME, order: 1, add: [segment("ab")], remove: ["a", "b"] };
  // It has seen two commits; the third one does not touch what it removes.
  expect(await replaceCommit(files, "r", 2, merged)).toBe(4);
  expect(await live(files)).toEqual(["ab", "c"]);
});

test("of two replacements of the same part the slower one is refused", async () => {
  const files = memoryFiles();
  for (const file of ["a", "b", "c"]) await appendCommit(files, "r", 0, added(file));
  const first = { writer: "c1", time: TIME, order: 1, add: [segment("ab")], remove: ["a", "b"] };
  const second = { writer: "c2", time: TIME, order: 2, add: [segment("bc")], remove: ["b", "c"] };
  expect(await replaceCommit(files, "r", 3, first)).toBe(4);
  expect(await replaceCommit(files, "r", 3, second)).toBeUndefined();
  expect(await live(files)).toEqual(["ab", "c"]);
});

test("a commit that the listing misses is read all the same", async () => {
  const files = memoryFiles();
  for (const file of ["a", "b", "c"]) await appendCommit(files, "r", 0, added(file));
  const blind = {
    ...files,
    list: async (folder: string) => (await files.list(folder)).filter((name) => !name.includes("2.json")),
  };
  expect((await readFold(blind, "r")).parts).toHaveLength(3);
});

test("a commit that is really missing is an error that names it", async () => {
  const files = memoryFiles();
  for (const file of ["a", "b", "c"]) await appendCommit(files, "r", 0, added(file));
  await files.remove(commitPath("r", 2));
  await expect(readFold(files, "r")).rejects.toMatchObject({
    code: "commit-missing",
    details: { path: commitPath("r", 2) },
  });
});

test("a checkpoint stands for the commits it folds, which then go after the grace period", async () => {
  const files = memoryFiles();
  for (let index = 0; index < 20; index += 1) await appendCommit(files, "r", index, added(`s${index}`));
  const before = await live(files);
  // No grace: the first round writes the checkpoint and removes what it stands for.
  const deleted = await cleanUp(files, "r", 0, later);
  expect(deleted).toBe(20);
  expect(await files.list("r/commits")).toEqual(["0000000020.checkpoint.json"]);
  expect(await live(files)).toEqual(before);
  await appendCommit(files, "r", 20, added("s20"));
  expect(await live(files)).toEqual([...before, "s20"]);
});

test("commits stay while the checkpoint is younger than the grace period", async () => {
  const files = memoryFiles();
  for (let index = 0; index < 20; index += 1) await appendCommit(files, "r", index, added(`s${index}`));
  expect(await cleanUp(files, "r", 60_000, () => new Date())).toBe(0);
  expect(await files.list("r/commits")).toHaveLength(21);
});

test("a writer that slept while its number was used and removed commits again under a new one", async () => {
  const files = memoryFiles();
  for (let index = 0; index < 20; index += 1) await appendCommit(files, "r", index, added(`s${index}`));
  await cleanUp(files, "r", 0, later);
  // It last saw commit 4, so it takes number 5, which no reader looks at any more.
  expect(await appendCommit(files, "r", 4, added("late"))).toBe(21);
  expect((await live(files)).filter((file) => file === "late")).toEqual(["late"]);
  // A compaction that slept gives up.
  const stale = { writer: "c", time: TIME, order: 1, add: [segment("x")], remove: ["s0"] };
  expect(await replaceCommit(files, "r", 6, stale)).toBeUndefined();
  expect(await live(files)).not.toContain("x");
});

test("a failure after the commit became visible does not commit twice", async () => {
  const files = memoryFiles();
  const failing = {
    ...files,
    putIfAbsent: async (path: string, bytes: Uint8Array) => {
      await files.putIfAbsent(path, bytes);
      throw new Error("the disk went away");
    },
  };
  expect(await appendCommit(failing, "r", 0, added("a"))).toBe(1);
  expect(await live(files)).toEqual(["a"]);
});

test("commit files that are no commits are errors that name the file", async () => {
  const files = memoryFiles();
  const write = (text: string): Promise<void> => files.put(commitPath("r", 1), Buffer.from(text));
  await write('{"format": 1, "number"');
  await expect(readFold(files, "r")).rejects.toMatchObject({
    code: "bad-commit",
    details: { path: commitPath("r", 1) },
  });
  await write('{"format": 1}');
  await expect(readFold(files, "r")).rejects.toMatchObject({ code: "bad-commit" });
  await write('{"format": 2}');
  await expect(readFold(files, "r")).rejects.toMatchObject({ code: "newer-format" });
  const escape = { number: 1, id: "i", order: 1, remove: [], ...added("../../etc/passwd") };
  await files.put(commitPath("r", 1), commitBytes(escape));
  await expect(readFold(files, "r")).rejects.toMatchObject({ code: "bad-commit" });
  await files.remove(commitPath("r", 1));
  await files.put(checkpointPath("r", 3), Buffer.from("{}"));
  await expect(readFold(files, "r")).rejects.toMatchObject({ code: "bad-commit" });
});

test("of commits with one key the first counts, whoever wrote it, before and after a checkpoint", async () => {
  const files = memoryFiles();
  await appendCommit(files, "r", 0, { ...added("a"), key: "job 1" });
  await appendCommit(files, "r", 0, { ...added("b"), key: "job 2" });
  // Two workers finished the same job; the slower one commits too.
  await appendCommit(files, "r", 0, { ...added("a-again"), key: "job 1" });
  expect(await live(files)).toEqual(["a", "b"]);
  const known = await readFold(files, "r");
  expect(known.keys).toEqual(["job 1", "job 2"]);
  for (let more = 0; more < 16; more += 1) await appendCommit(files, "r", 0, added(`c${more}`));
  for (const file of ["a", "b", "a-again"]) await files.put(`r/segments/${file}`, Buffer.from("abc"));
  // The checkpoint stands for the commits, which go; it remembers the keys, and the files nobody saw go too.
  await cleanUp(files, "r", 0, later);
  await cleanUp(files, "r", 0, later);
  await appendCommit(files, "r", 0, { ...added("b-again"), key: "job 2" });
  const seen = await live(files);
  expect(seen.slice(0, 2)).toEqual(["a", "b"]);
  expect(seen).not.toContain("b-again");
  expect(await files.list("r/segments")).not.toContain("a-again");
  // A reader that goes on from what it knew comes to the same.
  expect((await readFold(files, "r", known)).keys).toEqual(["job 1", "job 2"]);
});
