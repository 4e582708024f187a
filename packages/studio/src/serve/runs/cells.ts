/** Cells of query results as JSON has them. */
import { parseJson } from "limbeck-base/base/json";
import { labelOutcome } from "limbeck-core/skill/outcome";
import type { Outcome } from "../api/base.ts";

export type Cell = unknown;

/** A finite number, or null. */
export function numberOr(cell: Cell): number | null {
  if (cell === null || cell === undefined || typeof cell === "boolean") return null;
  const value = Number(cell);
  return Number.isFinite(value) ? value : null;
}

export function textOr(cell: Cell): string | null {
  return cell === null || cell === undefined ? null : shown(cell);
}

/** The JSON of a column; undefined where it is none. */
export function dataOf(cell: Cell): unknown {
  return typeof cell === "string" ? parseJson(cell) : undefined;
}

/** Anything a query can give, in the form JSON has: dates, large integers and bytes are text. */
export function jsonCell(cell: Cell): unknown {
  if (cell === undefined || cell === null) return null;
  if (typeof cell === "number") return Number.isFinite(cell) ? cell : String(cell);
  if (typeof cell === "string" || typeof cell === "boolean") return cell;
  if (typeof cell === "bigint") return String(cell);
  if (cell instanceof Date) return cell.toISOString();
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString("base64");
  if (Array.isArray(cell)) return cell.map(jsonCell);
  if (cell instanceof Map) return [...cell].map(([key, value]) => [jsonCell(key), jsonCell(value)]);
  if (typeof cell !== "object") return shown(cell);
  const own = Object.getPrototypeOf(cell) === Object.prototype;
  if (!own) return shown(cell);
  return Object.fromEntries(Object.entries(cell).map(([key, value]) => [key, jsonCell(value)]));
}

/** Types of the database (dates, decimals, structs of its own) know how they are written. */
function shown(cell: Cell): string {
  return (cell as { toString(): string }).toString();
}

/** The outcome in a cell of the column success. */
export function outcomeOr(cell: Cell): Outcome {
  return labelOutcome({ success: typeof cell === "boolean" ? cell : null });
}
