/** Opening the store for one command. Loaded when used: `--help` and completion must not wait for DuckDB. */
import { EngineError, unknownName } from "../base/index.ts";
import type { RunSummary, Store } from "../store/store.ts";

const SHOWN_RUNS = 20;

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
  // The newest runs are the likely ones; a list of thousands helps nobody.
  const known = runs.slice(-SHOWN_RUNS).map((run) => run.id);
  const rest = runs.length > known.length ? ` "limbeck runs" lists all ${runs.length}.` : "";
  const error = unknownName(id, known, "run");
  throw new EngineError(error.code, error.message + rest, { details: error.details });
}

/** A text as an SQL literal. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
