/** A rollout for people: what came of it. */
import type { RolloutShows } from "../../run/rollout.inputs.ts";
import { successOf, lostWords } from "limbeck-base/trajectory/tally";
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatCount, formatDuration, formatNumber, formatRate, plural } from "limbeck-base/base/units";
import type { Invocation } from "../command.ts";

export function showRollout({ print, style }: Pick<Invocation, "print" | "style">): RolloutShows {
  return {
    end: ({ progress, trajectories, judged, steps, losses, kept, metrics = {} }, { run, fault, durationMs }) => {
      if (run === null) return print(`${style.yellow("!")} Nothing was rolled out; a budget of 0 pays no episode.`);
      const { succeeded = 0, failed = 0 } = progress ?? {};
      const { success, low, high } = successOf({ seen: judged, solved: succeeded, lost: failed });
      const share = success === null ? "" : `, ${formatRate({ value: success, low, high })}`;
      const causes = losses?.causes ?? {};
      const lost = failed === 0 ? "" : `, ${cleanLine(lostWords({ lost: failed, causes }))}`;
      const mark = fault === undefined && failed === 0 ? style.green("✓") : style.yellow("!");
      print(
        `${mark} ${plural(trajectories, "trajectory", "trajectories")}, ${plural(steps, "step")} in run ${style.cyan(run)}: ${formatCount(succeeded)} succeeded${share}${lost} ${style.dim(`(${formatDuration(durationMs)})`)}`,
      );
      const counted = Object.entries(metrics).map(([name, value]) => `${name} ${formatNumber(value)}`);
      if (counted.length > 0) print(style.dim(`  ${counted.join(", ")}`));
      if (kept === undefined || kept.groups === 0) return;
      const words = `${plural(kept.groups, "group")}, ${plural(kept.tokens, "token")} kept for the next rollout`;
      print(`  ${words}; --run ${run} --resume goes on with them`);
    },
  };
}
