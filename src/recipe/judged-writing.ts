/**
 * Writing that is judged by what comes of it (Skill1). The outcome of an episode is known when its skill is written, so that it
 * says nothing of the words; how episodes fare that use the skill later does. Until then the tokens of the writing wait.
 *
 *   A = mean over its uses in the first update that uses it of (R - mean R of that update's episodes)
 */
import { mean } from "../base/index.ts";
import type { Shelf, Visit } from "../orchestrate/index.ts";
import type { TrainRow } from "../policy/index.ts";
import type { Json, JsonObject } from "../trajectory/index.ts";
import { rowFromJson, rowToJson } from "./kept-rows.ts";

/** The tokens that wrote a skill which nobody has used yet. */
export interface WaitingRow {
  /** Id of the skill on the shelf. */
  readonly skill: number;
  readonly row: TrainRow;
  /** The update it was written in. */
  readonly update: number;
}

export interface Judged {
  /** With the advantage at every trained token; rows that were worth exactly what all episodes were are left out. */
  readonly rows: readonly TrainRow[];
  /** How many skills had their first use. */
  readonly skills: number;
  readonly waiting: readonly WaitingRow[];
}

/** Judges what these episodes used; what they did not use waits on. */
export function judgeWriting(waiting: readonly WaitingRow[], visits: readonly Visit[], weight: number): Judged {
  const usual = mean(visits.map(({ outcome }) => outcome));
  const usesOf = (skill: number): readonly Visit[] => visits.filter(({ chosen }) => chosen === skill);
  const used = waiting.filter(({ skill }) => usesOf(skill).length > 0);
  const rows = used.flatMap(({ skill, row }) => {
    const advantage = weight * (mean(usesOf(skill).map(({ outcome }) => outcome)) - usual);
    if (advantage === 0) return [];
    return [{ ...row, advantages: Float64Array.from(row.mask, (on) => (on === 1 ? advantage : 0)) }];
  });
  return { rows, skills: used.length, waiting: waiting.filter((one) => !used.includes(one)) };
}

/** Rows of skills that are new on the shelf, each by the text that its episode wrote. */
export function newlyWritten(
  rows: readonly TrainRow[],
  written: ReadonlyMap<string, Visit["written"]>,
  before: Shelf,
  after: Shelf,
  update: number,
): WaitingRow[] {
  const fresh = after.skills.filter(({ id }) => id >= before.next);
  return fresh.flatMap(({ id, scenario, text }): WaitingRow[] => {
    const row = rows.find(({ trajectory = "" }) => {
      const own = written.get(trajectory);
      return own?.scenario === scenario && own.text === text;
    });
    return row === undefined ? [] : [{ skill: id, row, update }];
  });
}

export function waitingToJson(waiting: readonly WaitingRow[]): JsonObject[] {
  return waiting.map(({ row, ...rest }) => ({ ...rest, row: rowToJson(row) }));
}

export function waitingFromJson(kept: Json | undefined): WaitingRow[] {
  const list = (kept ?? []) as readonly (Omit<WaitingRow, "row"> & { readonly row: Json })[];
  return list.map(({ row, ...rest }) => ({ ...rest, row: rowFromJson(row) }));
}
