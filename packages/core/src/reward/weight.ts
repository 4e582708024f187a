/** The weight of a reward in a sum: a number, or one that changes over the updates of a training. */
import { EngineError } from "limbeck-base/base/errors";

/** Weights by update, in straight lines from one to the next: { 0: 1, 20: 1, 40: 0.2 }. */
export type WeightSchedule = Readonly<Record<string, number>>;

export type Weight = number | WeightSchedule;

/** Before the first update that is named its weight holds, after the last one that of the last. Default: after the last. */
export function weightAt(weight: Weight, update = Number.POSITIVE_INFINITY): number {
  if (typeof weight === "number") return weight;
  const knots = knotsOf(weight);
  const next = knots.findIndex(([at]) => at >= update);
  if (next < 0) return (knots.at(-1) as Knot)[1];
  const [at, value] = knots[next] as Knot;
  const before = knots[next - 1];
  if (before === undefined || at === update) return value;
  const [from, first] = before;
  return first + ((update - from) / (at - from)) * (value - first);
}

type Knot = readonly [number, number];

function knotsOf(schedule: WeightSchedule): Knot[] {
  return Object.entries(schedule)
    .map(([update, value]): Knot => [Number(update), value])
    .toSorted(([left], [right]) => left - right);
}

/** Refuses what is no schedule, by the name of the reward. */
export function checkWeight(name: string, weight: Weight | undefined): void {
  if (weight === undefined || typeof weight === "number") return;
  const updates = Object.keys(weight);
  const wrong = updates.find((update) => !/^\d{1,9}$/.test(update));
  if (updates.length > 0 && wrong === undefined) return;
  const found = wrong === undefined ? "names no update" : `names the update "${wrong}"`;
  throw new EngineError(
    "bad-input",
    `The weight of "${name}" ${found}. It is a number, or numbers by update, counted from 0: { 0: 1, 20: 0.2 }.`,
  );
}
