/** Runs of two commits, each of one trajectory. */
import { openStore } from "../../packages/store/src/store/open-store.ts";
import type { Store } from "../../packages/store/src/store/store.ts";
import { madeFrom } from "./kill-data.ts";

export async function storeWith(root: string, ...ids: readonly string[]): Promise<Store> {
  const store = openStore(root);
  for (const id of ids) {
    const writer = await store.createRun({ id });
    for (const name of ["a", "b"]) {
      await writer.append(madeFrom(`${id}-${name}`));
      await writer.commit();
    }
  }
  return store;
}
