/** Numbers as a reader wants them. */

export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 100_000)) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}

export function percent(value: number): string {
  return Number.isFinite(value) ? `${Math.round(value * 100)}%` : "–";
}

/** A rate as the terminal, the studio and the docs write it too: 0.188. */
export function rate(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3) : "–";
}

/** With a sign that is as wide as a plus. */
export function withSign(value: number, digits = 2): string {
  if (!Number.isFinite(value)) return "–";
  const text = Math.abs(value).toFixed(digits);
  return `${value < 0 && Number(text) !== 0 ? "−" : "+"}${text}`;
}

export function count(value: number): string {
  return value.toLocaleString("en-GB");
}

export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  const whole = Math.round(seconds);
  if (whole < 120) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 120 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}
