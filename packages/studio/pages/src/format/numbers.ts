/** Numbers as a reader wants them: short, aligned, and never more exact than they are. */
const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : whole.format(value);
}

export function decimal(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.5 * 10 ** -digits || size >= 1e6)) return minus(value.toExponential(1));
  return minus(value.toFixed(digits));
}

/** A value of a curve: counted things are whole. */
export function curveValue(value: number | null | undefined): string {
  return Number.isInteger(value) ? count(value) : decimal(value);
}

// British short forms write millions as "m".
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** A mark at the side of a chart: 0.05, 700, 12K; only what is tiny has an exponent. */
export function tick(value: number): string {
  const size = Math.abs(value);
  if (size >= 10_000) return minus(compact.format(value));
  if (size >= 1 || value === 0) return minus(String(Number(value.toFixed(2))));
  return minus(size < 1e-4 ? value.toExponential().replace(/(\.\d\d)\d+/, "$1") : String(Number(value.toPrecision(3))));
}

/** With its sign, and a true minus. */
export function withSign(value: number | null | undefined, digits = 3): string {
  const text = decimal(value, digits);
  return typeof value === "number" && value > 0 && text !== "–" ? `+${text}` : text;
}

export function percent(value: number | null | undefined, digits = 0): string {
  return value === null || value === undefined ? "–" : `${minus((value * 100).toFixed(digits))} %`;
}

/** A rate or a share as everything here writes one, in terminal, report and studio: 0.188. */
export function rate(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : minus(value.toFixed(3));
}

export function bytes(value: number): string {
  let [size, unit] = [value, 0];
  while (size >= 999.5 && unit < UNITS.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${unit === 0 || size >= 99.5 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}

export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** Day and time in the reader's zone, without seconds. */
export function moment(iso: string | null): string {
  if (iso === null) return "–";
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const pad = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

function minus(text: string): string {
  return text.replaceAll("-", "−");
}
