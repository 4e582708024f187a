/** Opening the store for one command. Loaded when used: `--help` and completion must not wait for DuckDB. */
import { basename, dirname, resolve } from "node:path";
import { isObjectAddress } from "limbeck-base/base/object-address";
import type { StoreOptions } from "limbeck-store/store/open-store";
import type { ReadInput } from "limbeck-store/store/read.inputs";
import type { QueryOptions, RunSummary, Store } from "limbeck-store/store/store";
import type { Invocation } from "./command.ts";
import type { Frame } from "./command-of.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { usageError } from "./parse.ts";

export async function withStore<T>(
  root: string,
  work: (store: Store) => Promise<T>,
  options?: StoreOptions,
): Promise<T> {
  return await (await import("limbeck-store/store/with-store")).withStore(root, work, options);
}

/** The runs that are to be read, from the inputs; says which ones are left out. */
export async function readStore<T>(
  read: ReadInput,
  frame: Frame,
  work: (store: Store, scope: QueryOptions) => Promise<T>,
): Promise<T> {
  const { readStore: readFrom } = await import("limbeck-store/store/with-store");
  return await readFrom(read, { ...frame, note: (line) => frame.note(cleanLine(line)) }, work);
}

/** A run by its id, or by its folder, which names its own store: what `limbeck train --dir` printed can be given as it is. */
export function runPlace(
  given: string,
  { cwd, store }: Pick<Frame, "cwd" | "store">,
): { readonly root: string; readonly id: string } {
  if (!/[/\\]/.test(given)) return { root: store, id: given };
  if (isObjectAddress(given)) {
    const [, root = "", id = "", query = ""] = /^(.*)\/([^/?]*)\/?(\?.*)?$/.exec(given) ?? [];
    return { root: `${root}${query}`, id };
  }
  const folder = resolve(cwd, given);
  return { root: dirname(folder), id: basename(folder) };
}

/** The folder of the store, for what cannot lie on object storage; the error says what to give in its place. */
export function storeFolder({ storeRoot }: Pick<Invocation, "storeRoot">, wayOut: string): string {
  if (!isObjectAddress(storeRoot)) return storeRoot;
  throw usageError(`${cleanLine(storeRoot)} is object storage, and this needs a folder: ${wayOut}.`);
}

/** The run of this id, or the only one whose id begins with it. */
export async function findRun(store: Store, id: string): Promise<RunSummary> {
  return await (await import("limbeck-store/store/find-run")).findRun(store, id);
}
