/** `limbeck runs keep`: which runs stay, by rules; the others are deleted, and what stays may be compacted. */
import { EngineError } from "../../base/errors.ts";
import type { RunSummary, Store } from "../../store/store.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatBytes, plural } from "../look/units.ts";
import { parseCount, parseDuration, usageError } from "../parse.ts";

/** A run stays when one rule keeps it. */
export interface KeepRules {
  /** The newest so many. */
  readonly last?: number;
  /** Those that were made since then. */
  readonly sinceMs?: number;
  /** Ids that stay whatever the rules say. */
  readonly busy: ReadonlySet<string>;
}

/** The runs that no rule keeps, oldest first. One that cannot be read stays: what it holds is not known. */
export function runsToDelete(runs: readonly RunSummary[], { last, sinceMs, busy }: KeepRules): RunSummary[] {
  const newestFirst = runs.toSorted((left, right) => (left.createdAt < right.createdAt ? 1 : -1));
  return newestFirst
    .filter((run, at) => {
      if (run.problem !== undefined || busy.has(run.id) || at < (last ?? 0)) return false;
      return sinceMs === undefined || !(Date.parse(run.createdAt) >= sinceMs);
    })
    .toReversed();
}

export async function keepRuns(invocation: Invocation, store: Store): Promise<number> {
  const [last, younger] = [invocation.text("last"), invocation.text("younger")];
  const compacts = invocation.flag("compact");
  if (last === undefined && younger === undefined && !compacts) {
    throw usageError('"limbeck runs keep" needs a rule: --last N, --younger TIME, or --compact alone.');
  }
  const runs = await store.runs();
  const rules = {
    ...(last === undefined ? {} : { last: parseCount(last, "last") }),
    ...(younger === undefined ? {} : { sinceMs: Date.now() - parseDuration(younger, "younger") }),
  };
  const deletes = last !== undefined || younger !== undefined;
  const old = deletes ? runsToDelete(runs, { ...rules, busy: await sparedOf(store) }) : [];
  const bytes = old.reduce((sum, run) => sum + run.bytes, 0);
  const what = `${plural(old.length, "run")} (${formatBytes(bytes)})`;
  for (const run of old)
    invocation.print(`${cleanLine(run.id)}  ${plural(run.trajectories, "trajectory", "trajectories")}`);
  if (old.length > 0 && !(await isWanted(invocation, what))) {
    invocation.print("Kept.");
    return EXIT.failed;
  }
  for (const run of old) {
    await store.deleteRun(run.id);
    if (invocation.json) invocation.printJson({ id: run.id, deleted: true });
  }
  const left = runs.length - old.length;
  if (compacts) {
    const reports = await store.compact({ signal: invocation.io.signal });
    const saved = reports.reduce((sum, report) => sum + report.segmentsBefore - report.segmentsAfter, 0);
    invocation.print(`Compacted: ${plural(saved, "file")} fewer.`);
  }
  invocation.print(`Deleted ${what}; ${plural(left, "run")} left.`);
  return EXIT.done;
}

/** Trainings that go on, and runs that somebody has pinned. */
async function sparedOf(store: Store): Promise<Set<string>> {
  const { createRunList } = await import("../../serve/runs/run-list.ts");
  const { goesOn } = await import("../../serve/shown.ts");
  const all = await createRunList(store, { now: () => new Date() }).all();
  return new Set(all.filter(({ status, labels }) => goesOn(status) || labels.pinned).map(({ id }) => id));
}

async function isWanted(invocation: Invocation, what: string): Promise<boolean> {
  if (invocation.flag("yes")) return true;
  const answer = await invocation.io.ask(`Delete ${what} for good? [y/N] `);
  if (answer === undefined) {
    throw new EngineError(
      "needs-yes",
      `Nobody can be asked here, so ${what} were not deleted. Add --yes to delete them.`,
    );
  }
  return /^y(es)?$/i.test(answer.trim());
}
