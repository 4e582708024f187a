/** What an import says when it ends. */
import { relative } from "node:path";
import type { Imported, ImportShows } from "limbeck-store/record/import.inputs";
import type { RunEnd } from "limbeck-store/store/with-run";
import type { Frame } from "../command-of.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatCount, formatDuration, plural } from "limbeck-base/base/units";

/** Files that are named one by one. */
const KNOWN_LISTED = 10;

export function showImport(frame: Frame): ImportShows {
  return {
    declined: () => frame.print("Nothing was read."),
    ended: (imported, end) => sayEnd(frame, imported, end),
  };
}

function sayEnd(frame: Frame, imported: Imported, { run, fault, committed, durationMs }: RunEnd): void {
  const { style, print, cwd } = frame;
  const { known, trajectories, steps, continued, unchanged, skipped, skips, renamed } = imported;
  const warn = (text: string): void => print(`${style.yellow("!")} ${text}`);
  if (known.length > KNOWN_LISTED) {
    const files = plural(known.length, "file");
    warn(`${files} with the same content are in the store already; --again reads them all the same.`);
  } else
    for (const { path, run: home } of known) {
      const where = `${cleanLine(relative(cwd, path) || path)} is in run ${style.cyan(home)} already`;
      warn(`${where}, with the same content; it was not imported again. --again does it all the same.`);
    }
  if (run !== null) {
    const all = plural(trajectories - continued, "trajectory", "trajectories");
    const tokens = imported.tokens === 0 ? "" : `, ${plural(imported.tokens, "token")}`;
    const what =
      committed === undefined
        ? `${all}, ${plural(steps, "step")}${tokens}`
        : `${formatCount(committed)} of ${all} that were read`;
    const mark = fault === undefined ? `${style.green("✓")} Imported` : `${style.yellow("!")} Kept what came before:`;
    print(`${mark} ${what} in run ${style.cyan(run)} ${style.dim(`(${formatDuration(durationMs)})`)}`);
  } else if (known.length + unchanged + continued === 0 || fault !== undefined || skipped > 0)
    warn("Nothing was imported.");
  if (continued > 0) {
    const sessions = plural(continued, "session");
    print(`  ${sessions} went on since the last import; only what is new was stored, in the run that holds them.`);
  }
  if (unchanged > 0) print(`  ${plural(unchanged, "session")} had not changed.`);
  if (skipped > 0) warn(`Skipped ${plural(skipped, "record")}:`);
  // A format's message begins with file and line already.
  for (const { message, code } of skips) print(`  ${cleanLine(message)} ${style.dim(`[${cleanLine(code)}]`)}`);
  const more = skipped - skips.length;
  if (more > 0) print(style.dim(`  … and ${formatCount(more)} more; --json lists them all`));
  if (renamed > 0) {
    const those = plural(renamed, "trajectory", "trajectories");
    warn(`${those} had an id that was taken and got a new one; --json lists them.`);
  }
  if (run === null || frame.quiet) return;
  const next = fault === undefined ? `  limbeck traces --run ${run}` : `  To drop it again: limbeck runs delete ${run}`;
  print(style.dim(next));
}
