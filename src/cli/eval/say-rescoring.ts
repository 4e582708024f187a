/** What another reward would have said, beside what is stored. */
import type { Estimate, Rescoring } from "../../eval/index.ts";
import type { Invocation } from "../command.ts";
import { printTable } from "../look/table.ts";
import { formatNumber, plural } from "../look/units.ts";

export function sayRescoring(invocation: Invocation, rescoring: Rescoring, kept: boolean): void {
  const { trajectories, ...summary } = rescoring;
  if (invocation.json) {
    for (const { rewards: _rewards, ...one } of trajectories) invocation.printJson({ event: "rescored", ...one });
    invocation.printJson({ event: "rescoring", ...summary, kept });
  }
  const { order } = summary;
  const pairs = order.kept + order.tied + order.reversed;
  const rows = [
    ["mean", words(summary.stored), words(summary.rescored)],
    ["difference", "", words(summary.difference)],
    ["success above failure", chance(summary.storedTells), chance(summary.rescoredTells)],
    ["another score", "", `${summary.changed} of ${trajectories.length}`],
    ["not scored", "", String(summary.unscored)],
    ["rank correlation", "", summary.correlation === null ? "–" : summary.correlation.toFixed(2)],
    ["order in groups", "", pairs === 0 ? "–" : `${order.kept} kept, ${order.tied} tied, ${order.reversed} reversed`],
  ];
  const head = plural(trajectories.length, "trajectory", "trajectories");
  printTable(invocation, [head, "stored", summary.reward], rows);
  if (kept) invocation.print(`${invocation.style.green("✓")} Stored as the reward ${summary.reward} of the same run.`);
}

function words(estimate: Estimate | null): string {
  if (estimate === null) return "–";
  const { mean, low, high } = estimate;
  return Number.isFinite(low) && low !== high
    ? `${formatNumber(mean)}  (${formatNumber(low)} to ${formatNumber(high)})`
    : formatNumber(mean);
}

function chance(share: number | null): string {
  return share === null ? "–" : share.toFixed(2);
}
