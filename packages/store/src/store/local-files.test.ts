import type * as promises from "node:fs/promises";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/stores.ts";
import { localFiles } from "./local-files.ts";

const folder = temporaryFolder();
const system = vi.hoisted(() => ({ linkFails: undefined as string | undefined }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof promises>();
  const link: typeof real.link = async (from, to) => {
    if (system.linkFails !== undefined) throw Object.assign(new Error("no link"), { code: system.linkFails });
    await real.link(from, to);
  };
  return { ...real, link };
});

afterEach(() => {
  system.linkFails = undefined;
});

const bytes = (text: string): Buffer => Buffer.from(text);

test.each([
  ["with hard links", undefined],
  ["on a file system without them", "ENOTSUP"],
])("of many that create one file, one succeeds and its content stays, %s", async (_, linkFails) => {
  system.linkFails = linkFails;
  const files = localFiles(folder());
  const names = ["a", "b", "c", "d", "e"];
  const created = await Promise.all(names.map((name) => files.putIfAbsent("x/y", bytes(name))));
  expect(created.filter(Boolean)).toHaveLength(1);
  const winner = names[created.indexOf(true)];
  expect(await readFile(join(folder(), "x", "y"), "utf8")).toBe(winner);
  expect(await files.putIfAbsent("x/y", bytes("late"))).toBe(false);
  expect(await readFile(join(folder(), "x", "y"), "utf8")).toBe(winner);
  // No temporary file is left.
  expect(await readdir(join(folder(), "x"))).toEqual(["y"]);
});

test("what the system refuses names the file and the way out", async () => {
  system.linkFails = "EACCES";
  const files = localFiles(folder());
  await expect(files.putIfAbsent("x", bytes("a"))).rejects.toMatchObject({
    code: "no-access",
    message: expect.stringContaining(join(folder(), "x")),
  });
  system.linkFails = "EIO";
  await expect(files.putIfAbsent("x", bytes("a"))).rejects.toMatchObject({ code: "file-error" });
});

test("a name is never written twice, and a missing file is no surprise", async () => {
  const files = localFiles(folder());
  await files.put("a/b", bytes("one"));
  await expect(files.put("a/b", bytes("two"))).rejects.toMatchObject({ code: "file-error" });
  expect(await files.read("a/b")).toBe("one");
  expect(await files.stat("a/b")).toMatchObject({ bytes: 3 });
  expect(await files.stat("a/none")).toBeUndefined();
  expect(await files.list("none")).toEqual([]);
  await files.remove("a/none");
  await expect(files.read("a/none")).rejects.toMatchObject({ code: "ENOENT" });
});

test("a folder goes at once, and a scratch file is published whole", async () => {
  const files = localFiles(folder());
  const scratch = await files.scratch("run/segments/s");
  await writeFile(scratch, "merged");
  expect(await files.stat("run/segments/s")).toBeUndefined();
  await files.adopt(scratch, "run/segments/s");
  expect(await readdir(join(folder(), "run", "segments"))).toEqual(["s"]);
  await files.removeFolder("run");
  expect(await readdir(folder())).toEqual([]);
});
