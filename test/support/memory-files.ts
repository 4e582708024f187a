/** The store's file operations in memory, as an object store would offer them: no folders, no links, no renames. */
import { createHash } from "node:crypto";
import type { Files } from "../../packages/store/src/store/files.ts";

export function memoryFiles(): Files {
  const objects = new Map<string, { readonly bytes: Buffer; readonly modifiedMs: number }>();
  const set = (path: string, bytes: Uint8Array): void => {
    objects.set(path, { bytes: Buffer.from(bytes), modifiedMs: Date.now() });
  };
  const missing = (path: string): Error => Object.assign(new Error(`no object ${path}`), { code: "ENOENT", path });
  return {
    list: async (folder) =>
      [...objects.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1)),
    all: async (folder) => [...objects.keys()].filter((path) => path.startsWith(`${folder}/`)),
    read: async (path) => objects.get(path)?.bytes.toString() ?? Promise.reject(missing(path)),
    stat: async (path) => {
      const found = objects.get(path);
      return found === undefined ? undefined : { bytes: found.bytes.length, modifiedMs: found.modifiedMs };
    },
    digest: async (path) => {
      const found = objects.get(path);
      return found === undefined ? undefined : createHash("sha256").update(found.bytes).digest("hex");
    },
    put: async (path, bytes) => set(path, bytes),
    putIfAbsent: async (path, bytes) => {
      if (objects.has(path)) return false;
      set(path, bytes);
      return true;
    },
    look: async (path) => {
      const found = objects.get(path);
      if (found === undefined) return undefined;
      return { text: found.bytes.toString(), version: found.bytes.toString(), ageMs: Date.now() - found.modifiedMs };
    },
    exchange: async (path, bytes, version) => {
      if (objects.get(path)?.bytes.toString() !== version) return undefined;
      set(path, bytes);
      return Buffer.from(bytes).toString();
    },
    append: async (path, text) =>
      set(path, Buffer.concat([objects.get(path)?.bytes ?? Buffer.of(), Buffer.from(text)])),
    remove: async (path) => void objects.delete(path),
    removeFolder: async (path) => {
      for (const key of objects.keys()) if (key.startsWith(`${path}/`)) objects.delete(key);
    },
    location: (path) => path,
    address: (path) => path,
    scratch: async (path) => Promise.reject(missing(path)),
    adopt: async (_scratch, path) => Promise.reject(missing(path)),
  };
}
