/** Shares and differences as people read them. */
/** 0.1234 → "12.3%"; a dash where there is none. */
export function percent(share: number): string {
  return Number.isNaN(share) ? "–" : `${(share * 100).toFixed(1)}%`;
}

/** A difference of shares, in points: "+12.0". */
export function points(difference: number): string {
  if (Number.isNaN(difference)) return "–";
  const text = (difference * 100).toFixed(1);
  return difference > 0 ? `+${text}` : text;
}

/** A p-value: two digits, and no claim beyond one in ten thousand. */
export function chance(p: number): string {
  return p < 0.0001 ? "p < 0.0001" : `p = ${Number(p.toPrecision(2))}`;
}
