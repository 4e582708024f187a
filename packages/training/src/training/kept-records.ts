/** A training as a run of the store. Loaded only where one is kept: the store brings its engines along. */
import { openStore, type StoreOptions } from "limbeck-store/store/open-store";
import type { Store } from "limbeck-store/store/store";
import { taskPool } from "limbeck-store/store/task-pool";
import type { JsonObject } from "limbeck-base/base/json";
import type { Records } from "./records.ts";
import { storedKey } from "./stored-key.ts";

export async function openRecords(
  root: string,
  run: string,
  { there, config }: { readonly there: boolean; readonly config: JsonObject },
  options: StoreOptions = {},
): Promise<Records> {
  const store = openStore(root, options);
  try {
    const writer = there ? await store.openRun(run) : await store.createRun({ id: run, kind: "train", config });
    return {
      writer,
      stored: await storedKeys(store, run, there),
      pool: (limit) => taskPool(store, { except: run, limit }),
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Whether there is such a run, readable or not. */
export async function holdsRun(root: string, run: string): Promise<boolean> {
  const store = openStore(root);
  try {
    return (await store.runs({ only: run })).length > 0;
  } finally {
    await store.close();
  }
}

/** What the run's commits already hold. */
async function storedKeys(store: Store, run: string, there: boolean): Promise<ReadonlySet<string>> {
  if (!there) return new Set();
  const { rows } = await store.query("select kind, data from events where kind in ('update', 'evaluation', 'pool')", {
    run,
  });
  return new Set(
    rows.map(([kind, data]) => {
      const { update, phase } = JSON.parse(String(data)) as { readonly update: number; readonly phase?: string };
      return storedKey(String(kind === "evaluation" ? phase : kind), update);
    }),
  );
}
