import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { thisProcess } from "./process-identity.ts";
import { removeLeft, writingBeside } from "./writing-names.ts";

const newFolder = temporaryFolders();

test("every name is another; only what dead processes left is removed", async () => {
  const folder = await newFolder();
  const path = join(folder, "model.safetensors");
  const [own, again] = [writingBeside(path), writingBeside(path)];
  expect(own).not.toBe(again);
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "close");
  const { pid, started } = thisProcess();
  const dead = basename(own).replace(`${pid}.`, `${child.pid}.`);
  const reused = basename(own).replace(`.${started ?? 0}.`, ".1.");
  const old = ".writing-model.safetensors";
  const elsewhere = basename(own).replace(/\.[0-9a-f]{8}-/, ".00000000-");
  for (const name of [basename(own), dead, reused, old, elsewhere, "config.json"])
    await writeFile(join(folder, name), "");
  await removeLeft(folder);
  const stay = [basename(own), old, elsewhere, "config.json", ...(started === null ? [reused] : [])];
  expect((await readdir(folder)).sort()).toEqual(stay.sort());
  // Nobody can see whether these are still being written, and nobody writes for two days.
  const before = new Date(Date.now() - 2 * 24 * 60 * 60_000);
  for (const name of [old, elsewhere]) await utimes(join(folder, name), before, before);
  await removeLeft(folder);
  expect((await readdir(folder)).sort()).toEqual(stay.filter((name) => name !== old && name !== elsewhere).sort());
});
