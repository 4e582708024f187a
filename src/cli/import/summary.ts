/** What an import says when it ends. */
import { relative } from "node:path";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatCount, formatDuration, plural } from "../look/units.ts";
import type { RunEnd } from "../../run/with-run.ts";
import type { Outcome } from "./read-into.ts";

/** Files that are named one by one. */
const KNOWN_LISTED = 10;

export function saySummary(
  invocation: Invocation,
  outcome: Outcome,
  { run, fault, committed, durationMs }: RunEnd,
): void {
  const { style } = invocation;
  // A folder that was read before has many; the count says it.
  const listed = outcome.known.length > KNOWN_LISTED ? [] : outcome.known;
  if (listed.length < outcome.known.length) {
    invocation.print(
      `${style.yellow("!")} ${plural(outcome.known.length, "file")} with the same content are in the store already; --again reads them all the same.`,
    );
  }
  for (const { path, run: home } of listed) {
    const name = cleanLine(relative(invocation.io.cwd, path) || path);
    invocation.print(
      `${style.yellow("!")} ${name} is in run ${style.cyan(home)} already, with the same content; it was not imported again. --again does it all the same.`,
    );
  }
  if (run === null) {
    if (
      (outcome.known.length === 0 && outcome.unchanged + outcome.continued === 0) ||
      fault !== undefined ||
      outcome.skipped > 0
    )
      invocation.print(`${style.yellow("!")} Nothing was imported.`);
  } else {
    const mark = fault === undefined ? style.green("✓") : style.yellow("!");
    const verb = fault === undefined ? "Imported" : "Kept what came before:";
    const all = outcome.trajectories - outcome.continued;
    const tokens = outcome.tokens === 0 ? "" : `, ${plural(outcome.tokens, "token")}`;
    const what =
      committed === undefined
        ? `${plural(all, "trajectory", "trajectories")}, ${plural(outcome.steps, "step")}${tokens}`
        : `${formatCount(committed)} of ${plural(all, "trajectory", "trajectories")} that were read`;
    invocation.print(
      `${mark} ${verb} ${what} in run ${style.cyan(run)} ${style.dim(`(${formatDuration(durationMs)})`)}`,
    );
  }
  saySessions(invocation, outcome);
  saySkips(invocation, outcome);
  if (outcome.renamed > 0) {
    const text = `${plural(outcome.renamed, "trajectory", "trajectories")} had an id that was taken and got a new one; --json lists them.`;
    invocation.print(`${style.yellow("!")} ${text}`);
  }
  if (run === null || invocation.quiet) return;
  if (fault !== undefined) {
    invocation.print(style.dim(`  To drop it again: limbeck runs delete ${run}`));
    return;
  }
  invocation.print(style.dim(`  limbeck sql --run ${run} "select id, reward from trajectories"`));
}

function saySessions(invocation: Invocation, { unchanged, continued }: Outcome): void {
  if (continued > 0)
    invocation.print(
      `  ${plural(continued, "session")} went on since the last import; only what is new was stored, in the run that holds them.`,
    );
  if (unchanged > 0) invocation.print(`  ${plural(unchanged, "session")} had not changed.`);
}

function saySkips(invocation: Invocation, outcome: Outcome): void {
  const { style } = invocation;
  if (outcome.skipped === 0) return;
  invocation.print(`${style.yellow("!")} Skipped ${plural(outcome.skipped, "record")}:`);
  // A format's message begins with file and line already.
  for (const skip of outcome.skips)
    invocation.print(`  ${cleanLine(skip.message)} ${style.dim(`[${cleanLine(skip.code)}]`)}`);
  const more = outcome.skipped - outcome.skips.length;
  if (more > 0) invocation.print(style.dim(`  … and ${formatCount(more)} more; --json lists them all`));
}
