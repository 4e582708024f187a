import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../test/support/temporary-folder.ts";
import { machinesOf, nativeFiles } from "./native-file.ts";
import { REQUIRED_PLATFORMS } from "./platforms.ts";

const newFolder = temporaryFolders();

/** A header with numbers at their places: [offset, bytes…]. */
function head(...places: readonly (readonly number[])[]): Uint8Array {
  const bytes = new Uint8Array(512);
  for (const [offset = 0, ...values] of places) bytes.set(values, offset);
  return bytes;
}

const ELF = [0, 0x7f, 0x45, 0x4c, 0x46];
const MACH = [0, 0xcf, 0xfa, 0xed, 0xfe];
const FAT = [0, 0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2];
const MZ = [0, 0x4d, 0x5a];

test.each([
  ["an ELF file for x64", head(ELF, [18, 62, 0]), ["linux x64"]],
  ["an ELF file for arm64", head(ELF, [18, 183, 0]), ["linux arm64"]],
  ["an ELF file for another processor", head(ELF, [18, 40, 0]), []],
  ["a Mac file for x64", head(MACH, [4, 7, 0, 0, 1]), ["darwin x64"]],
  ["a Mac file for arm64", head(MACH, [4, 12, 0, 0, 1]), ["darwin arm64"]],
  ["a universal Mac file", head(FAT, [8, 1, 0, 0, 7], [28, 1, 0, 0, 12]), ["darwin x64", "darwin arm64"]],
  ["a Windows file for x64", head(MZ, [60, 0x80, 0, 0, 0], [128, 0x50, 0x45, 0, 0, 0x64, 0x86]), ["win32 x64"]],
  ["a Windows file for arm64", head(MZ, [60, 0x80, 0, 0, 0], [128, 0x50, 0x45, 0, 0, 0x64, 0xaa]), ["win32 arm64"]],
  ["a Windows file whose header lies past its end", head(MZ, [60, 0xff, 0xff, 0, 0]), []],
  ["a text", new TextEncoder().encode("#!/bin/sh\n".repeat(20)), []],
  ["a file of a few bytes", Uint8Array.of(0x7f, 0x45, 0x4c, 0x46), []],
])("%s", (_, bytes, machines) => {
  expect(machinesOf(bytes).map(({ os, cpu }) => `${os} ${cpu}`)).toEqual(machines);
});

test("of a folder, only what its platform's loader would take", async () => {
  const folder = await newFolder();
  await mkdir(join(folder, "deep"));
  await writeFile(join(folder, "deep", "part.node"), head(ELF, [18, 183, 0]));
  await writeFile(join(folder, "other.node"), head(ELF, [18, 62, 0]));
  await writeFile(join(folder, "package.json"), "{}");
  const arm = REQUIRED_PLATFORMS.find(({ name }) => name === "linux-arm64")!;
  expect(await nativeFiles(folder, arm)).toEqual([join(folder, "deep", "part.node")]);
  expect(await nativeFiles(join(folder, "missing"), arm)).toEqual([]);
});
