/** `limbeck runs keep`: which runs stay, by rules; the others are deleted, and what stays may be compacted. */
import { askFirst } from "limbeck-base/base/ask-first";
import { withoutUndefined } from "limbeck-base/base/fields";
import { sum } from "limbeck-base/base/statistics/summary";
import type { RunSummary, Store } from "limbeck-store/store/store";
import type { Frame } from "../command-of.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { formatBytes, plural } from "limbeck-base/base/units";

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

export async function keepRuns(
  frame: Frame<object>,
  store: Store,
  given: Readonly<Record<"last" | "younger", number | undefined>> & Readonly<Record<"compact" | "yes", boolean>>,
): Promise<number> {
  const { emit, print, signal } = frame;
  const { last, younger } = given;
  const runs = await store.runs();
  const rules = withoutUndefined({ last, sinceMs: younger === undefined ? undefined : Date.now() - younger });
  const deletes = last !== undefined || younger !== undefined;
  const old = deletes ? runsToDelete(runs, { ...rules, busy: await sparedOf(store) }) : [];
  const what = `${plural(old.length, "run")} (${formatBytes(sum(old.map(({ bytes }) => bytes)))})`;
  for (const run of old) print(`${cleanLine(run.id)}  ${plural(run.trajectories, "trajectory", "trajectories")}`);
  if (old.length > 0 && !(await mayDelete(frame, given.yes, what, ["were", "them"]))) return EXIT.failed;
  for (const { id } of old) {
    await store.deleteRun(id);
    emit({ id, deleted: true });
  }
  if (given.compact) {
    const reports = await store.compact({ signal });
    const saved = sum(reports.map(({ segmentsBefore, segmentsAfter }) => segmentsBefore - segmentsAfter));
    print(`Compacted: ${plural(saved, "file")} fewer.`);
  }
  print(`Deleted ${what}; ${plural(runs.length - old.length, "run")} left.`);
  return EXIT.done;
}

/** Trainings that go on, and pinned runs. */
async function sparedOf(store: Store): Promise<Set<string>> {
  const { createRunList } = await import("limbeck-studio/serve/runs/run-list");
  const { goesOn } = await import("limbeck-studio/serve/shown");
  const all = await createRunList(store, { now: () => new Date() }).all();
  return new Set(all.filter(({ status, labels }) => goesOn(status) || labels.pinned).map(({ id }) => id));
}

/** Whether a person wants it, or `yes` says so. */
export async function mayDelete(
  frame: Pick<Frame, "ask" | "print">,
  yes: boolean,
  what: string,
  [was, it]: readonly [string, string],
): Promise<boolean> {
  const unasked = `Nobody can be asked here, so ${what} ${was} not deleted. Add --yes to delete ${it}.`;
  const wanted = yes || (await askFirst(frame, `Delete ${what} for good? [y/N] `, unasked));
  if (!wanted) frame.print("Kept.");
  return wanted;
}
