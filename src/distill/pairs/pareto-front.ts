/** Who is not beaten on every count: the Pareto front of points whose every number is better when it is larger. */
export function dominates(one: readonly number[], other: readonly number[]): boolean {
  return (
    one.every((value, at) => value >= (other[at] ?? value)) && one.some((value, at) => value > (other[at] ?? value))
  );
}

/** True for the points that no other one dominates; equal points stand or fall together. */
export function paretoFront(points: readonly (readonly number[])[]): boolean[] {
  return points.map((point) => !points.some((other) => dominates(other, point)));
}
