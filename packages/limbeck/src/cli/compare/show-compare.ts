/** A comparison of result files, for people. */
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatNumber, plural } from "limbeck-base/base/units";
import { withSign } from "limbeck-core/skill/install/facts";
import type { ResultComparison, SideFigures } from "limbeck-store/record/results/compare-results";
import type { Invocation } from "../command.ts";

export interface ShownSide extends SideFigures {
  /** As it was typed. */
  readonly name: string;
  readonly format: string;
}

export function showCompared(
  { print, style }: Invocation,
  found: ResultComparison,
  sides: readonly ShownSide[],
  power: number,
) {
  const mark = { better: style.green("✓"), worse: style.red("✗"), tied: "=" }[found.verdict];
  print(`${mark} ${style.bold(found.verdict)}: ${cleanLine(found.metric)} on ${plural(found.tasks, "task")} of both`);
  for (const side of sides)
    print(`  ${side.mean.toFixed(3)}  ${cleanLine(side.name)} (${aboutSide(side, found.tasks)})`);
  const way = found.test === "mcnemar" ? "McNemar's exact test" : "paired t test";
  const counts = `${found.better} better, ${found.worse} worse, ${found.equal} equal`;
  const bounds = Number.isFinite(found.low) ? ` [${withSign(found.low)}, ${withSign(found.high)}]` : "";
  print(`  difference ${withSign(found.difference)}${bounds}; ${counts}; p ${formatNumber(found.p)} (${way})`);
  if (found.verdict === "tied") print(`  ${openWords(found, power)}`);
}

function aboutSide({ format, trials, alone, unscored }: ShownSide, tasks: number): string {
  const left = [
    ...(alone > 0 ? [`${plural(alone, "task")} not in the other`] : []),
    ...(unscored > 0 ? [`${plural(unscored, "task")} without a score`] : []),
  ];
  const more = left.length === 0 ? [] : [`left out: ${left.join(" and ")}`];
  return [format, ...(trials === tasks ? [] : [plural(trials, "trial")]), ...more].join("; ");
}

function openWords({ more, difference }: ResultComparison, power: number): string {
  if (more === null)
    return "They show no difference at all, so no number of further tasks can be named that would decide.";
  return `Tied is not equal: ${plural(more, "task")} more would separate them with ${formatNumber(100 * power)} % chance, if ${withSign(difference)} is the true difference.`;
}
