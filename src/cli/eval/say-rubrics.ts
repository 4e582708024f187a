/** Rubrics as a table: who shows what, successes beside failures. */
import { applyRubrics, rubrics, type RubricShare } from "../../eval/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { printTable } from "../look/table.ts";
import type { Side } from "./say-profiles.ts";
import { formatRate } from "../look/units.ts";
import { points } from "./words.ts";

/** Every rubric for one side; successes and failures of different policies are not thrown together. */
export function sayRubrics(
  invocation: Invocation,
  {
    side,
    name,
    trajectories,
  }: { readonly side: Side; readonly name: string; readonly trajectories: readonly Trajectory[] },
): void {
  const reports = applyRubrics(Object.values(rubrics), trajectories);
  if (invocation.json) {
    for (const { findings, ...report } of reports) {
      const shown = findings.map(({ trajectory, finding }) => ({
        trajectory,
        shown: finding.shown,
        steps: finding.shown === null ? [] : finding.steps,
      }));
      invocation.printJson({ event: "rubric", side, ...report, findings: shown });
    }
  }
  const titles = [`rubric (${name})`, "successes that show it", "failures that show it", "difference in points"];
  const rows = reports.map(({ rubric, good, successes, failures, difference }) => [
    `${good ? "+" : "−"} ${rubric}`,
    cell(successes),
    cell(failures),
    Number.isNaN(difference.difference)
      ? "–"
      : `${points(difference.difference)} (${points(difference.low)} to ${points(difference.high)})`,
  ]);
  printTable(invocation, titles, rows);
  invocation.print(
    invocation.style.dim("+ good to show, − a fault; shares of the trajectories to which it applies, 95% intervals."),
  );
}

function cell(share: RubricShare): string {
  if (share.applicable === 0) return "does not apply";
  return `${share.shown} of ${share.applicable}: ${formatRate({ value: share.share, low: share.low, high: share.high })}`;
}
