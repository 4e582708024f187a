/** Values against their group: centred, or centred and scaled. The heart of the group-relative family. */

/** Rows and the group each belongs to. */
export interface Grouping {
  readonly of: Int32Array;
  readonly count: number;
}

export interface GroupOptions {
  /** Centre only, or divide by the deviation too. */
  readonly scale: boolean;
  /** A group of one: "raw" keeps the value (mean 0, deviation 1), "zero" gives 0. */
  readonly singleton: string;
  readonly deviation: string;
  readonly epsilon: number;
  /** Smallest variance, taken before the root; none unless given. */
  readonly varianceFloor?: number;
  /** 1 for rows that enter the statistics; all of them unless given. */
  readonly counted?: Uint8Array;
}

export interface GroupAdvantages {
  readonly advantages: Float64Array;
  readonly sizes: Int32Array;
  readonly metrics: { readonly groups: number; readonly singletonGroups: number; readonly equalGroups: number };
}

export function groupAdvantages(values: Float64Array, groups: Grouping, options: GroupOptions): GroupAdvantages {
  const { centres, scales, sizes, metrics } = groupStatistics(values, groups, options);
  const advantages = new Float64Array(values.length);
  for (let at = 0; at < values.length; at += 1) {
    const group = groups.of[at] as number;
    if ((sizes[group] as number) === 1 && options.singleton === "zero") continue;
    advantages[at] = ((values[at] as number) - (centres[group] as number)) / (scales[group] as number);
  }
  return { advantages, sizes, metrics };
}

/** Mean and divisor of each group. A group whose values are all equal has exactly that value as its mean. */
export function groupStatistics(values: Float64Array, { of, count }: Grouping, options: GroupOptions) {
  const sizes = new Int32Array(count);
  const sums = new Float64Array(count);
  const least = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  const most = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
  for (let at = 0; at < values.length; at += 1) {
    if (options.counted !== undefined && options.counted[at] === 0) continue;
    const group = of[at] as number;
    const value = values[at] as number;
    sizes[group] = (sizes[group] as number) + 1;
    sums[group] = (sums[group] as number) + value;
    if (value < (least[group] as number)) least[group] = value;
    if (value > (most[group] as number)) most[group] = value;
  }
  const centres = new Float64Array(count);
  let singletonGroups = 0;
  let equalGroups = 0;
  for (let group = 0; group < count; group += 1) {
    const size = sizes[group] as number;
    // Rounding of sum / size must not make a difference out of equal values.
    const equal = least[group] === most[group];
    centres[group] = equal ? (least[group] as number) : (sums[group] as number) / size;
    if (size === 1) singletonGroups += 1;
    else if (equal) equalGroups += 1;
    if (size === 1 && options.singleton === "raw") centres[group] = 0;
  }
  const scales = options.scale ? deviations(values, of, centres, sizes, options) : new Float64Array(count).fill(1);
  return { centres, scales, sizes, metrics: { groups: count, singletonGroups, equalGroups } };
}

function deviations(
  values: Float64Array,
  of: Int32Array,
  centres: Float64Array,
  sizes: Int32Array,
  { deviation, epsilon, varianceFloor, counted }: GroupOptions,
): Float64Array {
  const squares = new Float64Array(centres.length);
  for (let at = 0; at < values.length; at += 1) {
    if (counted !== undefined && counted[at] === 0) continue;
    const group = of[at] as number;
    const distance = (values[at] as number) - (centres[group] as number);
    squares[group] = (squares[group] as number) + distance * distance;
  }
  for (let group = 0; group < squares.length; group += 1) {
    const size = sizes[group] as number;
    const variance = (squares[group] as number) / (deviation === "population" ? size : Math.max(size - 1, 1));
    // A group of one has deviation 1 by convention, so "raw" stays raw up to epsilon.
    if (size === 1) squares[group] = 1 + epsilon;
    else if (varianceFloor === undefined) squares[group] = Math.sqrt(variance) + epsilon;
    else squares[group] = Math.sqrt(Math.max(variance, varianceFloor));
  }
  return squares;
}
