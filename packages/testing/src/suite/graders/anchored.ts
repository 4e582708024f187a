/** What was paid in the shop, between two golden runs at opposite poles of a value: 1 as the one, 0 as the other. */
import { isObject, type Json } from "limbeck-base/base/json";
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { defineGrader } from "../grader.ts";

export const anchored = defineGrader({
  id: "anchored",
  meaning:
    "How near the price of the purchase is to that of a golden run: `answer` is {at, other}, 1 at the first and 0 at the second.",
  options: {},
  check: (answer) => {
    const anchors = anchorsOf(answer);
    if (anchors === undefined) return "`answer` has to be {at, other}, two numbers";
    return anchors.at === anchors.other ? "`at` and `other` are one number" : undefined;
  },
  grade: ({ trajectory, answer }) => {
    const { at, other } = anchorsOf(answer) as Anchors;
    const price = pricePaid(trajectory);
    // Who buys nothing is at neither pole.
    if (price === undefined) return { score: scored(0), why: "nothing was bought" };
    return { score: scored(Math.min(1, Math.max(0, (price - other) / (at - other)))), why: `paid ${price}` };
  },
});

interface Anchors {
  readonly at: number;
  readonly other: number;
}

function anchorsOf(answer: Json | undefined): Anchors | undefined {
  if (!isObject(answer)) return undefined;
  const { at, other } = answer;
  return typeof at === "number" && typeof other === "number" ? { at, other } : undefined;
}

/** On the page from which it was bought. */
export function pricePaid({ steps }: Pick<Trajectory, "steps">): number | undefined {
  const last = steps.findLast(({ valid }) => valid);
  if (last?.action !== "click[buy now]") return undefined;
  const price = /Price: \$(\d+(?:\.\d+)?)/.exec(last.observation)?.[1];
  return price === undefined ? undefined : Number(price);
}
