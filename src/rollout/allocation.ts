/** Where the next rollouts go: the arithmetic of XRPO and DARS. */
import { sampleDeviation } from "../base/index.ts";

/** Student's t at 0.975, in the three decimals of the usual tables, for 1 to 30 degrees of freedom. */
const T_975 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
] as const;
const Z_975 = 1.959964;

function tQuantile(freedom: number): number {
  const listed = T_975[freedom - 1];
  if (listed !== undefined) return listed;
  // The first terms of the expansion in 1 / freedom; exact to three decimals from 30 on.
  const first = (Z_975 ** 3 + Z_975) / (4 * freedom);
  return Z_975 + first + (5 * Z_975 ** 5 + 16 * Z_975 ** 3 + 3 * Z_975) / (96 * freedom * freedom);
}

/** Half of the 95% interval of a mean. */
export function halfWidth(spread: number, count: number): number {
  return (tQuantile(count - 1) * spread) / Math.sqrt(count);
}

/** XRPO: by how much one more rollout is expected to narrow the interval, and a bonus for what was tried little. */
export function narrowing(spread: number, count: number, total: number, explore: number): number {
  if (count < 2) return Number.POSITIVE_INFINITY;
  const gain = halfWidth(spread, count) - halfWidth(spread, count + 1);
  return gain + explore * Math.sqrt(Math.log(1 + total) / count);
}

export interface Tried {
  readonly rewards: readonly number[];
}

/** The tasks that get the next rollouts, one place each, with the spread of rewards that is known now. */
export function nextByInterval(tried: readonly Tried[], places: number, explore: number, most: number): number[] {
  const spreads = tried.map(({ rewards }) => (rewards.length < 2 ? 0 : sampleDeviation(rewards)));
  const counts = tried.map(({ rewards }) => rewards.length);
  let total = counts.reduce((sum, count) => sum + count, 0);
  const chosen: number[] = [];
  for (let place = 0; place < places; place += 1) {
    const at = bestOf(counts.map((count, task) =>
      count >= most ? Number.NEGATIVE_INFINITY : narrowing(spreads[task] as number, count, total, explore),
    )); // prettier-ignore
    if (at === undefined) break;
    chosen.push(at);
    counts[at] = (counts[at] as number) + 1;
    total += 1;
  }
  return chosen;
}

/** DARS: rollouts to add to the first `count` of a task of this accuracy, so that hard tasks weigh as much as even ones. */
export function extraWanted(accuracy: number, count: number, schedule: "equal" | "hardness", most: number): number {
  if (accuracy >= 0.5) return 0;
  const held = accuracy <= 1e-6 ? 0.5 / count : accuracy;
  const spread = 2 * held * (1 - held);
  const wanted = (schedule === "equal" ? 1 : 2 * (1 - held)) * 0.5 * count;
  return Math.max(0, Math.min(Math.ceil((wanted - count * spread) / spread - 1e-9), most - count));
}

/** The largest wants first, one place at a time. `wants` is used up. */
export function nextByWant(wants: number[], places: number): number[] {
  const chosen: number[] = [];
  for (let place = 0; place < places; place += 1) {
    const at = bestOf(wants.map((want) => (want > 0 ? want : Number.NEGATIVE_INFINITY)));
    if (at === undefined) break;
    chosen.push(at);
    wants[at] = (wants[at] as number) - 1;
  }
  return chosen;
}

/** The first of the largest; undefined when none may be taken. */
function bestOf(values: readonly number[]): number | undefined {
  let best: number | undefined;
  for (const [at, value] of values.entries()) {
    if (value === Number.NEGATIVE_INFINITY) continue;
    if (best === undefined || value > (values[best] as number)) best = at;
  }
  return best;
}
