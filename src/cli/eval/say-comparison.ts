/** What the comparison of two policies says, in words that claim no more than it shows. */
import type { PolicyComparison } from "../../eval/index.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";
import { chance, points } from "./words.ts";

export function sayComparison(invocation: Invocation, comparison: PolicyComparison, left: string, right: string): void {
  if (invocation.json) invocation.printJson({ event: "comparison", ...comparison });
  const { style } = invocation;
  const { tasks, difference, low, high, sign, separated, steps } = comparison;
  const [one, other] = [cleanLine(left), cleanLine(right)];
  const verdict = separated
    ? `${style.green("✓")} ${difference > 0 ? one : other} solves more.`
    : `${style.yellow("!")} Not separated: ${plural(tasks, "task")} cannot tell the two apart.`;
  invocation.print(
    `${verdict} ${one} less ${other}: ${points(difference)} points (95% interval ${points(low)} to ${points(high)}), better on ${plural(sign.better, "task")}, worse on ${sign.worse}, alike on ${sign.equal}; sign test ${chance(sign.p)}.`,
  );
  if (steps === null) return;
  const spread = steps.tasks < 2 ? "" : ` (95% interval ${steps.low.toFixed(1)} to ${steps.high.toFixed(1)})`;
  const change = `${steps.difference > 0 ? "+" : ""}${steps.difference.toFixed(1)}`;
  invocation.print(`  On ${plural(steps.tasks, "task")} both solved: ${change} steps${spread}.`);
}
