/**
 * ROSE's length penalty: among correct responses of a task, those that took longer than the shortest lose some of their
 * advantage, on the tokens behind the point where the two parted.
 *
 *   A -= |A| * (1 - (rest of the shortest / own rest)^exponent)
 */
import { mean } from "limbeck-base/base/statistics/summary";
import { stepsOf } from "./batch-index.ts";
import { eachPosition, isBefore, leavingPosition, type Position } from "./branch-points.ts";
import { entry, groupMembers, real, intAt } from "./columns.ts";
import type { IndexedBatch } from "./credit.ts";
import { trajectoryGroups } from "./groups.ts";

export const START: Position = { step: 0, token: 0 };

/**
 * Changes the values in place. A response is correct when it succeeded, or, where its success is unknown, earned more than 0.
 * `parting` says where two trajectories part. Default: where their paths do.
 */
export function penaliseLength(
  batch: IndexedBatch,
  values: readonly Float64Array[],
  exponent: number,
  parting: (left: number, right: number) => Position = (left, right) => partingPoint(batch, left, right),
): void {
  for (const all of groupMembers(trajectoryGroups(batch))) {
    const members = all.filter((at) => isCorrect(batch, at));
    const lengths = members.map((at) => restOf(batch, at, START));
    const shortest = members[lengths.indexOf(Math.min(...lengths))];
    for (const other of members) {
      if (shortest === undefined || other === shortest) continue;
      const point = parting(shortest, other);
      const [least, own] = [restOf(batch, shortest, point), restOf(batch, other, point)];
      if (own <= least || own === 0) continue;
      lower(batch, values, other, point, 1 - (least / own) ** exponent);
    }
  }
}

/** Mean tokens of the correct responses, each from its beginning; undefined where none is. */
export function correctTokens(batch: IndexedBatch): number | undefined {
  const members = [...batch.index.outcomeOf.keys()].filter((at) => isCorrect(batch, at));
  return members.length === 0 ? undefined : mean(members.map((at) => restOf(batch, at, START)));
}

function isCorrect(batch: IndexedBatch, at: number): boolean {
  const row = batch.rows[stepsOf(batch, at)[0] ?? -1];
  const outcome = row === undefined ? undefined : batch.trajectories.get(row.trajectory);
  return outcome?.success ?? (outcome?.outcome ?? 0) > 0;
}

interface Stretch {
  readonly trajectory: number;
  /** Where it left its parent: rows may repeat what stands before. */
  readonly since: Position;
  /** Up to where the path follows this trajectory's rows; undefined: to their end. */
  readonly until: Position | undefined;
}

/** The trajectories that a path follows, its own first. */
function pathOf(batch: IndexedBatch, at: number): Stretch[] {
  const path: Stretch[] = [];
  let until: Position | undefined;
  for (let next = at; next !== -1; next = intAt(batch.index.parentOf, next)) {
    const left = leavingPosition(batch, next);
    path.push({ trajectory: next, since: left ?? START, until });
    until = left === undefined || (until !== undefined && isBefore(until, left)) ? until : left;
  }
  return path;
}

function partingPoint(batch: IndexedBatch, left: number, right: number): Position {
  const own = new Map(pathOf(batch, left).map(({ trajectory, until }) => [trajectory, until]));
  for (const { trajectory, until } of pathOf(batch, right)) {
    if (!own.has(trajectory)) continue;
    const other = own.get(trajectory);
    if (other === undefined || until === undefined) return other ?? until ?? START;
    return isBefore(other, until) ? other : until;
  }
  return START;
}

/** Trained tokens of the path from the point on. */
function restOf(batch: IndexedBatch, at: number, from: Position): number {
  let rest = 0;
  for (const { trajectory, since, until } of pathOf(batch, at)) {
    for (const row of stepsOf(batch, trajectory)) {
      eachPosition(entry(batch.rows, row), (token, position) => {
        if (batch.rows[row]?.mask[token] !== 1 || isBefore(position, since) || isBefore(position, from)) return;
        if (until === undefined || isBefore(position, until)) rest += 1;
      });
    }
  }
  return rest;
}

function lower(
  batch: IndexedBatch,
  values: readonly Float64Array[],
  trajectory: number,
  from: Position,
  share: number,
): void {
  for (const row of stepsOf(batch, trajectory)) {
    const own = entry(values, row);
    eachPosition(entry(batch.rows, row), (token, position) => {
      if (!isBefore(position, from)) own[token] = real(own, token) - Math.abs(real(own, token)) * share;
    });
  }
}
