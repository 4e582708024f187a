/** How differences are written. */

export function signed(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(3)}`;
}

export function withInterval({
  value,
  low,
  high,
}: {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}): string {
  return `${signed(value)} (${signed(low)} to ${signed(high)})`;
}

/** The difference alone, of whatever else knows it. */
export function short({
  value,
  low,
  high,
}: {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}): object {
  return { value, low, high };
}
