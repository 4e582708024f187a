/** The store for one piece of work. */
import { cleanLine } from "limbeck-base/base/clean-text";
import type { Context } from "limbeck-base/base/operation";
import { findRun } from "./find-run.ts";
import { openStore, type StoreOptions } from "./open-store.ts";
import type { ReadInput } from "./read.inputs.ts";
import type { QueryOptions, Store } from "./store.ts";

export async function withStore<T>(
  root: string,
  work: (store: Store) => Promise<T>,
  options: StoreOptions = {},
): Promise<T> {
  const store = openStore(root, options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** With the runs to read, from the inputs; says which ones are left out. */
export async function readStore<T>(
  { run, strict }: ReadInput,
  { store: root, signal, note }: Pick<Context, "store" | "signal" | "note">,
  work: (store: Store, scope: QueryOptions) => Promise<T>,
): Promise<T> {
  return await withStore(root, async (store) => {
    if (run !== undefined) return await work(store, { run: (await findRun(store, run)).id, signal });
    const broken = strict ? [] : (await store.runs()).filter(({ problem }) => problem !== undefined);
    for (const { id, problem = "" } of broken) {
      note(`! Left out run ${id}: ${cleanLine(problem)} Set it aside with: limbeck runs set-aside ${id}`);
    }
    return await work(store, { skipBroken: !strict, signal });
  });
}

/** The same store; what it is asked is SQL of the program itself. */
export function withOwnSql(store: Store): Store {
  return { ...store, query: (sql, options) => store.query(sql, { ...options, trusted: true }) };
}
