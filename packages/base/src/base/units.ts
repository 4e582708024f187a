/** Numbers as people read them. */

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** 1234567 → "1,234,567". */
export function formatCount(value: number): string {
  return value.toLocaleString("en-GB", { maximumFractionDigits: 0 });
}

/** "1 step", "2 steps". */
export function plural(value: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(value)} ${value === 1 ? noun : nouns}`;
}

/** Decimal units: 1 kB is 1,000 bytes. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${BYTE_UNITS[unit] ?? ""}`;
}

/** "340 ms", "12.3 s", "4 min 05 s", "2 h 03 min". */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, "0")} min`;
}

/** A reward or a log-probability: at most four significant decimals, no trailing zeros. */
export function formatNumber(value: number): string {
  if (Math.abs(value) >= 1e9 && Number.isFinite(value)) return value.toExponential(3);
  if (!Number.isFinite(value) || Number.isInteger(value)) return String(value);
  const digits = Math.abs(value) >= 1 ? 3 : 4;
  const fixed = Number(value.toFixed(digits));
  return fixed === 0 ? value.toExponential(2) : String(fixed);
}

/** A rate with its interval, in the one notation for it. */
export function formatRate(rate: { readonly value: number; readonly low: number; readonly high: number }): string {
  return `${rate.value.toFixed(3)} [${rate.low.toFixed(3)}, ${rate.high.toFixed(3)}]`;
}
