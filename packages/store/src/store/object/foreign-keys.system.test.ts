/** Keys come from whoever fills a bucket. None of them leads a copy out of its folder, or into another run of it. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { madeFrom } from "../../../../../test/support/kill-data.ts";
import {
  freshAddress,
  objectEnvironment,
  startObjectServer,
  type ObjectServer,
} from "../../../../../test/support/object-server.ts";
import { temporaryFolder } from "../../../../../test/support/stores.ts";
import { pathInside } from "limbeck-base/base/files";
import { copyRun } from "../copy-run.ts";
import { openStore } from "../open-store.ts";

const folder = temporaryFolder();
let server: ObjectServer;
let address: string;
const kept = { ...process.env };
beforeEach(async () => {
  server = await startObjectServer();
  address = freshAddress(server);
  Object.assign(process.env, objectEnvironment(join(folder(), "cache")));
  const writer = await openStore(address).createRun({ id: "mine" });
  await writer.append(madeFrom("a"));
  await writer.close();
});
afterEach(async () => {
  process.env = { ...kept };
  await server.close();
});

const prefixOf = (): string => /^s3:\/\/[^/]+\/(\w+)/.exec(address)?.[1] ?? "";

function plant(key: string): void {
  const etag = `"${key}"`;
  server.objects.set(key, { bytes: Buffer.from("planted"), etag, modified: new Date(), metadata: {} });
}

async function filesBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

test.each(["mine/../../home/.profile", "mine/..", "mine/./x", "mine//x", "mine/a/../../../home/.profile", "mine/\0x"])(
  "the key %j is refused, and no file outside the folder is written or replaced",
  async (key) => {
    const [home, to] = [join(folder(), "home"), join(folder(), "to")];
    await mkdir(home);
    await writeFile(join(home, ".profile"), "own");
    plant(`${prefixOf()}/${key}`);
    await expect(copyRun({ from: address, to, run: "mine" })).rejects.toMatchObject({ code: "path-outside" });
    expect(await filesBelow(home)).toEqual([join(home, ".profile")]);
    expect(await readFile(join(home, ".profile"), "utf8")).toBe("own");
    for (const file of await filesBelow(folder())) expect(await readFile(file, "utf8")).not.toBe("planted");
    expect(await openStore(to).runs()).toEqual([]);
  },
);

test("a server that lists keys nobody asked for, or that cannot be read, is named", async () => {
  const listed = (key: string): string =>
    `<ListBucketResult><Contents><Key>${key}</Key><Size>7</Size><ETag>x</ETag></Contents></ListBucketResult>`;
  for (const key of [`${prefixOf()}/other/run.json`, "etc/passwd", "%E0%A4%A"]) {
    server.listing = (query) => ("delimiter" in query ? undefined : listed(key));
    const copied = copyRun({ from: address, to: join(folder(), "to"), run: "mine" });
    await expect(copied).rejects.toMatchObject({ code: "bad-store" });
  }
});

test("what an object storage keeps for a folder is no file, and what belongs to the store is not copied under other letters", async () => {
  plant(`${prefixOf()}/mine/`);
  plant(`${prefixOf()}/mine/model/`);
  plant(`${prefixOf()}/mine/COMMITS/00000000000000000009.json`);
  plant(`${prefixOf()}/mine/Run.json`);
  const to = join(folder(), "to");
  expect(await copyRun({ from: address, to, run: "mine" })).toMatchObject({ copied: true });
  for (const file of await filesBelow(to)) expect(await readFile(file, "utf8")).not.toBe("planted");
});

test("paths below a folder", () => {
  expect(pathInside("/folder", "")).toBe("/folder");
  expect(pathInside("/folder", "a/b..c/...")).toBe("/folder/a/b..c/...");
  for (const path of ["..", "../folderless", "a/../b", "/etc/passwd", "a/", ".", "a//b", "a/\0"]) {
    expect(() => pathInside("/folder", path)).toThrow(/is no name of a file below \/folder/);
  }
});
