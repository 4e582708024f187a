/** Opening the store for one command. Loaded when used: `--help` and completion must not wait for DuckDB. */
import { basename, dirname, resolve } from "node:path";
import { isObjectAddress } from "../base/object-address.ts";
import type { StoreOptions } from "../store/open-store.ts";
import type { RunSummary, Store } from "../store/store.ts";
import type { Invocation, Option } from "./command.ts";
import { cleanLine } from "./look/clean-text.ts";
import { flag, text } from "./options.ts";
import { usageError } from "./parse.ts";

export async function withStore<T>(
  root: string,
  work: (store: Store) => Promise<T>,
  options: StoreOptions = {},
): Promise<T> {
  const { openStore } = await import("../store/index.ts");
  const store = openStore(root, options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** A run by its id, or by its folder, which names its own store: what `limbeck train --dir` printed can be given as it is. */
export function runPlace(
  given: string,
  { io, storeRoot }: Pick<Invocation, "io" | "storeRoot">,
): { readonly root: string; readonly id: string } {
  if (!/[/\\]/.test(given)) return { root: storeRoot, id: given };
  if (isObjectAddress(given)) {
    const [, root = "", id = "", query = ""] = /^(.*)\/([^/?]*)\/?(\?.*)?$/.exec(given) ?? [];
    return { root: `${root}${query}`, id };
  }
  const folder = resolve(io.cwd, given);
  return { root: dirname(folder), id: basename(folder) };
}

/** The folder of the store, for what cannot lie on object storage; the error says what to give in its place. */
export function storeFolder({ storeRoot }: Pick<Invocation, "storeRoot">, wayOut: string): string {
  if (!isObjectAddress(storeRoot)) return storeRoot;
  throw usageError(`${cleanLine(storeRoot)} is object storage, and this needs a folder: ${wayOut}.`);
}

/** The run of this id, or the only one whose id begins with it. */
export async function findRun(store: Store, id: string): Promise<RunSummary> {
  return await (await import("../store/find-run.ts")).findRun(store, id);
}

/** Options of commands that read: which runs. */
export const readOptions = {
  run: text("ID", "Only this run. Default: every run"),
  "skip-broken": flag("Leave out runs that cannot be read; otherwise they are an error"),
} as const satisfies Record<string, Option>;

/** Which runs to read, from the options; says which ones are left out. */
export async function readScope(
  invocation: Invocation,
  store: Store,
): Promise<{ readonly run?: string; readonly skipBroken: boolean; readonly signal: AbortSignal }> {
  const wanted = invocation.text("run");
  const skipBroken = invocation.flag("skip-broken");
  const scope = { skipBroken, signal: invocation.io.signal };
  if (wanted !== undefined) return { run: (await findRun(store, wanted)).id, ...scope };
  const broken = skipBroken ? (await store.runs()).filter((run) => run.problem !== undefined) : [];
  for (const run of broken) invocation.note(`! Left out run ${cleanLine(run.id)}: ${cleanLine(run.problem ?? "")}`);
  return scope;
}
