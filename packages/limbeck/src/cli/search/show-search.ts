/** A search for people: what is searched, and what came of it. */
import type { SearchShows } from "../../run/search-run.inputs.ts";
import { lostWords } from "limbeck-base/trajectory/tally";
import type { Invocation } from "../command.ts";
import { sayPlace } from "../eval/show-eval.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatCount, formatDuration, formatRate, plural } from "limbeck-base/base/units";

export function showSearch(invocation: Invocation): SearchShows {
  const { print, style } = invocation;
  return {
    place: (place, tasks) => sayPlace(invocation, place, tasks),
    end: (
      { tasks, solved, failed, causes, success, spent, trajectories, harm, written },
      { run, fault, durationMs },
    ) => {
      if (run === null) return print(`${style.yellow("!")} Nothing was searched; a budget of 0 pays no step.`);
      const share =
        success === null ? "" : `, ${formatRate({ value: success.mean, low: success.low, high: success.high })},`;
      const mark = fault === undefined && failed === 0 ? style.green("✓") : style.yellow("!");
      const unseen = failed === 0 ? "" : `, ${cleanLine(lostWords({ lost: failed, causes }))},`;
      print(
        `${mark} ${formatCount(solved)} of ${plural(tasks, "task")} solved${share}${unseen} with ${plural(spent.modelCalls, "model call")}, ${plural(spent.envSteps, "environment step")} ${style.dim(`(${formatDuration(durationMs)})`)}`,
      );
      const beside = harm === 0 ? "" : `; ${plural(harm, "irreversible action")} beside the chosen lines`;
      print(`  ${plural(trajectories, "branch", "branches")} in run ${style.cyan(run)}${beside}`);
      if (written === undefined) return;
      const all = written.model + written.template + written.nobody;
      print(`  ${written.model} of ${plural(all, "writing")} were usable; otherwise the search went by its own rule.`);
    },
  };
}
