/** What was written, and what was added, for a person. */
import type { ExportShows } from "limbeck-store/record/export.inputs";
import type { FeedbackGiven } from "limbeck-store/record/feedback";
import type { Frame } from "../command-of.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatBytes, formatNumber, plural } from "limbeck-base/base/units";

export function showExport({ note, print, style }: Frame): ExportShows {
  return {
    losses: (format, loses) =>
      note(`${style.yellow("!")} ${cleanLine(format)} cannot hold everything. Lost: ${cleanLine(loses)}`),
    written: ({ out, format, count, pairs, bytes }) => {
      const what =
        pairs === undefined ? plural(count, "trajectory", "trajectories") : `${plural(count, "pair")} of ${pairs}`;
      const size = pairs === undefined ? `${format}, ${formatBytes(bytes)}` : formatBytes(bytes);
      print(`${style.green("✓")} Wrote ${what} to ${style.cyan(cleanLine(out))} ${style.dim(`(${size})`)}`);
    },
  };
}

export function showFeedback({ print }: Frame): { readonly added: (given: FeedbackGiven) => void } {
  return {
    added: ({ run, trajectory, rewards }) => {
      const all = rewards.map(({ name, score }) =>
        score.kind === "scored"
          ? `${cleanLine(name)} ${formatNumber(score.value)}`
          : `${cleanLine(name)} (${cleanLine(score.why)})`,
      );
      print(`Added to ${cleanLine(trajectory)} in run ${cleanLine(run)}: ${all.join(", ")}.`);
    },
  };
}
