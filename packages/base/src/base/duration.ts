/** Lengths of time as they are typed. */
import { usageError } from "./errors.ts";

const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** "90s", "15m", "1h", "2d" in milliseconds. */
export function parseDuration(text: string, option: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)$/.exec(text.trim());
  const value = text.trim() === "0" ? 0 : Number(match?.[1]) * (DURATION_UNITS[match?.[2] ?? ""] ?? Number.NaN);
  if (Number.isFinite(value)) return value;
  throw usageError(`--${option} must be a time such as 90s, 15m, 1h or 2d; got "${text}".`);
}
