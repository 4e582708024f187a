/** Which machine a native file is made for, read from its first bytes: a name can lie, a header is what the loader reads. */
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Platform } from "./platforms.ts";

type Machine = Pick<Platform, "cpu" | "os">;

/** Enough for the headers; a Windows program keeps its own behind a stub of a few hundred bytes. */
const HEAD_BYTES = 4096;

const ELF_CPU: Readonly<Record<number, Platform["cpu"]>> = { 62: "x64", 183: "arm64" };
const MACH_CPU: Readonly<Record<number, Platform["cpu"]>> = { 0x01000007: "x64", 0x0100000c: "arm64" };
const WINDOWS_CPU: Readonly<Record<number, Platform["cpu"]>> = { 0x8664: "x64", 0xaa64: "arm64" };

/** Empty for a file that is no program or library of these systems. A universal Mac file is for several machines. */
export function machinesOf(head: Uint8Array): Machine[] {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (head.byteLength < 64) return [];
  const made = (os: Platform["os"], cpu: Platform["cpu"] | undefined) => (cpu === undefined ? [] : [{ os, cpu }]);
  switch (view.getUint32(0)) {
    case 0x7f454c46:
      return made("linux", ELF_CPU[view.getUint16(18, true)]);
    case 0xcffaedfe:
      return made("darwin", MACH_CPU[view.getUint32(4, true)]);
    case 0xcafebabe: {
      const count = Math.min(view.getUint32(4), Math.floor((head.byteLength - 8) / 20));
      return Array.from({ length: count }, (_, index) =>
        made("darwin", MACH_CPU[view.getUint32(8 + 20 * index)]),
      ).flat();
    }
  }
  if (view.getUint16(0) !== 0x4d5a) return [];
  const header = view.getUint32(60, true);
  if (header + 6 > head.byteLength || view.getUint32(header) !== 0x50450000) return [];
  return made("win32", WINDOWS_CPU[view.getUint16(header + 4, true)]);
}

/** Files below the folder that the platform's loader would take, as paths inside it; none where there is no folder. */
export async function nativeFiles(folder: string, platform: Platform): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const machines = machinesOf(await headOf(path));
    if (machines.some(({ os, cpu }) => os === platform.os && cpu === platform.cpu)) found.push(path);
  }
  return found;
}

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
