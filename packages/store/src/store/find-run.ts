/** A run by what a person types of its id. */
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { unknownName } from "limbeck-base/base/registry";
import type { RunSummary, Store } from "./store.ts";

const KNOWN_RUNS = 20;

/** The run of this id, or the only one whose id begins with it. */
export async function findRun(store: Store, id: string): Promise<RunSummary> {
  const [exact] = await store.runs({ only: id }).catch(noId);
  if (exact !== undefined) return exact;
  const runs = await store.runs({ remembered: true });
  const [first, second, ...more] = id === "" ? [] : runs.filter((run) => run.id.startsWith(id));
  if (first !== undefined && second === undefined) return (await store.runs({ only: first.id }))[0] ?? first;
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
  // The newest runs are the likely ones; a list of thousands is no help.
  const known = runs.slice(-KNOWN_RUNS).map((run) => run.id);
  throw unknownName(id, known, "run", "limbeck runs");
}

/** What no run can be called, none is. */
function noId(error: unknown): [] {
  if (errorCode(error) === "bad-run-id") return [];
  throw error;
}
