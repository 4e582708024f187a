/** Rows of several updates, to be learned from together: what published forms call gathering a data set first. */
import { option } from "limbeck-base/base/option";
import type { OptionTable } from "limbeck-base/base/option-table";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { keptRows, rowToJson } from "./kept-rows.ts";
import { keep, type UpdateContext } from "../update/context.ts";

export const gatherSettings = {
  gather: option.count(1, "updates whose rows are learned from together"),
} as const satisfies OptionTable;

/** All rows gathered so far where it is time to learn from them, and none otherwise. */
export function gatherRows(update: UpdateContext, rows: readonly TrainRow[], updates: number): readonly TrainRow[] {
  if (updates === 1) return rows;
  const all = [...keptRows(update.kept, "gathered"), ...rows];
  const ready = update.update % updates === 0;
  keep(update, { gathered: ready ? [] : all.map(rowToJson) });
  return ready ? all : [];
}
