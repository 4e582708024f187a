/** A mean with its 95% interval, as the tables show it. */
export function shown(
  value: number,
  { low, high }: { readonly low: number; readonly high: number },
  digits: number,
): string {
  return `${value.toFixed(digits)} [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;
}
