/** Opening the store for one command. Loaded when used: `--help` and completion must not wait for DuckDB. */
import { EngineError, unknownName } from "../base/index.ts";
import type { RunSummary, Store } from "../store/store.ts";

export async function withStore<T>(root: string, work: (store: Store) => Promise<T>): Promise<T> {
  const { openStore } = await import("../store/index.ts");
  const store = openStore(root);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The run of this id, or the only one whose id begins with it. */
export async function findRun(store: Store, id: string): Promise<RunSummary> {
  const runs = await store.runs();
  const exact = runs.find((run) => run.id === id);
  if (exact !== undefined) return exact;
  const [first, second, ...more] = id === "" ? [] : runs.filter((run) => run.id.startsWith(id));
  if (first !== undefined && second === undefined) return first;
  if (first !== undefined && second !== undefined) {
    const ids = [first, second, ...more].map((run) => run.id);
    throw new EngineError(
      "ambiguous-id",
      `${ids.length} runs begin with "${id}": ${ids.slice(0, 6).join(", ")}. Give more of the id.`,
      {
        details: { ids },
      },
    );
  }
  throw unknownName(
    id,
    runs.map((run) => run.id),
    "run",
  );
}

/** A text as an SQL literal. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
