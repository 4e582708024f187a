/** What the tokens of a group were credited with, where the run has stored it. */
import { creditRows, type CreditRow } from "limbeck-store/report/credit";
import { quote } from "limbeck-store/store/migrations";
import type { Store } from "limbeck-store/store/store";
import { dataOf } from "../runs/cells.ts";

export interface GroupCredit {
  /** Rows by trajectory and step. */
  readonly rows: ReadonlyMap<string, ReadonlyMap<number, CreditRow>>;
  /** Whether all that was written with the trajectory stands in its own stretch of the run. */
  readonly whole: boolean;
}

export interface CreditPlace {
  readonly run: string;
  readonly group: string;
  readonly update: number | null;
  /** A trajectory of the group: credit is committed together with it. */
  readonly trajectory: string;
}

/** Both names stand in front of the rows, so that the beginning of an event shows whether it is the right one. */
const BEGINNING = 2_000;

export async function readGroupCredit(store: Store, place: CreditPlace): Promise<GroupCredit> {
  const { run, group, update, trajectory } = place;
  const named = `"group":${JSON.stringify(group)}`;
  const kinds = "kind in ('credit', 'credit-group')";
  // Without an update only the group's own name says where its credit would be.
  const wanted =
    update === null
      ? `${kinds} and contains(left(data, ${BEGINNING}), ${quote(named)})`
      : `${kinds} and starts_with(data, ${quote(`{"update":${update},${named},`)})`;
  const ended = update === null ? "false" : `kind = 'update' and starts_with(data, ${quote(`{"update":${update},`)})`;
  const near = await store.query(`select data, kind from events where (${wanted}) or (${ended})`, {
    run,
    around: [trajectory],
  });
  const whole = update === null || near.rows.some(([, kind]) => kind === "update");
  // A large update is committed in several pieces; its credit comes with the last of them.
  const found = whole ? near : await store.query(`select data, kind from events where ${wanted}`, { run });
  const rows = found.rows.filter(([, kind]) => kind !== "update");
  const byTrajectory = new Map<string, Map<number, CreditRow>>();
  for (const [data] of rows) {
    for (const row of creditRows(dataOf(data))) {
      const steps = byTrajectory.get(row.trajectory) ?? new Map<number, CreditRow>();
      byTrajectory.set(row.trajectory, steps.set(row.step, row));
    }
  }
  return { rows: byTrajectory, whole };
}
