/** SQL of a person at the page, with limits of time and rows. */
import { EngineError } from "limbeck-base/base/errors";
import type { Store } from "limbeck-store/store/store";
import type { SqlAnswer } from "../api/trajectories.ts";
import { jsonCell } from "./cells.ts";

export interface SqlLimits {
  readonly rows: number;
  readonly timeoutMs: number;
  readonly now: () => number;
}

const LETTERS = 20_000;

export async function runSql(
  store: Store,
  asked: { readonly sql: string; readonly run?: string | undefined },
  limits: SqlLimits,
  signal: AbortSignal,
): Promise<SqlAnswer> {
  const started = limits.now();
  const timeout = AbortSignal.timeout(limits.timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  try {
    const scope = asked.run === undefined ? { skipBroken: true } : { run: asked.run };
    const { columns, rows } = await store.query(asked.sql, { ...scope, signal: either, limit: limits.rows + 1 });
    return {
      columns: columns.map(({ name, type }) => ({ name, type })),
      rows: rows.slice(0, limits.rows).map((row) => row.map((cell) => shortened(jsonCell(cell)))),
      cut: rows.length > limits.rows,
      elapsedMs: limits.now() - started,
    };
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    const seconds = limits.timeoutMs / 1_000;
    throw new EngineError("too-slow", `The query was stopped after ${seconds} seconds. Ask for one run, or for less.`);
  }
}

function shortened(cell: unknown): unknown {
  return typeof cell === "string" && cell.length > LETTERS ? `${cell.slice(0, LETTERS)}…` : cell;
}
