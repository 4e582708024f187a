/** One value of a query result, as text. */
import { formatNumber } from "limbeck-base/base/units";

/** For a table: short. Null is empty brackets, so that it differs from an empty text. */
export function tableCell(value: unknown): string {
  if (value === null || value === undefined) return "∅";
  if (typeof value === "number") return formatNumber(value);
  return plainCell(value);
}

/** For CSV: exact. Null is nothing at all. */
export function csvCell(value: unknown): string {
  const text = value === null || value === undefined ? "" : plainCell(value);
  // RFC 4180; an empty text is quoted, so that it differs from null.
  return /[",\r\n]/.test(text) || (value === "" && text === "") ? `"${text.replaceAll('"', '""')}"` : text;
}

function plainCell(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  return jsonText(value);
}

/** JSON in which whole numbers beyond 2^53 are text. */
function jsonText(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner === "bigint") return String(inner);
      return ArrayBuffer.isView(inner) && !(inner instanceof DataView) ? Array.from(inner as Uint8Array) : inner;
    }) ?? ""
  );
}
