/** Where a store lies, as it was given: a folder, or an address of object storage. */
import { resolve } from "node:path";
import { isObjectAddress } from "limbeck-base/base/object-address";
import type { Files } from "./files.ts";
import { localFiles } from "./local-files.ts";
import { parseObjectAddress } from "./object/address.ts";
import { objectFiles } from "./object/object-files.ts";

export interface StorePlace {
  /** The whole path, or the address as it opens the same place again. */
  readonly root: string;
  readonly files: () => Files;
}

export function placeOf(given: string): StorePlace {
  if (!isObjectAddress(given)) return { root: resolve(given), files: () => localFiles(resolve(given)) };
  return { root: parseObjectAddress(given, process.env).address, files: () => objectFiles(given, process.env) };
}
