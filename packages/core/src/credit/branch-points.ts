/** Where trajectories of a batch leave each other: at a step, or at a token inside its response. */
import { stepsOf } from "./batch-index.ts";
import { entry, intAt } from "./columns.ts";
import type { CreditRow, IndexedBatch } from "./credit.ts";

export interface Position {
  readonly step: number;
  readonly token: number;
}

export interface BranchPoint extends Position {
  /** Trajectories that pass the point. */
  readonly through: readonly number[];
}

export function isBefore(left: Position, right: Position): boolean {
  return left.step === right.step ? left.token < right.token : left.step < right.step;
}

/**
 * The branch points on the way of each trajectory, in order. A point at the very beginning is none: there the way has
 * not begun. Grows with the square of the branches that hang from one trajectory, which are few.
 */
export function branchPoints(batch: IndexedBatch): BranchPoint[][] {
  const { index } = batch;
  const leaving = Array.from({ length: index.trajectories }, (_, at) => leavingPosition(batch, at));
  const owners = leaving.map((position, at) => (position === undefined ? -1 : ownerOf(index.parentOf, leaving, at)));
  const children: number[][] = leaving.map(() => []);
  for (const [at, owner] of owners.entries()) if (owner !== -1) children[owner]?.push(at);
  const below = leaving.map((): number[] => []);
  for (const at of bottomUp(owners)) {
    below[at]?.push(at);
    const owner = entry(owners, at);
    if (owner !== -1) below[owner]?.push(...entry(below, at));
  }
  const own = children.map((branches, at) => pointsOf(at, branches, leaving, below));
  return leaving.map((_, at) => wayTo(at, owners, leaving, own));
}

/** Where a branch left its parent. */
export function leavingPosition(batch: IndexedBatch, trajectory: number): Position | undefined {
  if (batch.index.parentOf[trajectory] === -1) return undefined;
  const parent = batch.rows[intAt(stepsOf(batch, trajectory), 0)]?.parent;
  return parent && { step: parent.step, token: parent.token ?? 0 };
}

/** The trajectory whose own part holds the point: a branch may leave where its parent itself began, or before. */
function ownerOf(parentOf: Int32Array, leaving: readonly (Position | undefined)[], at: number): number {
  const position = leaving[at] as Position;
  let owner = intAt(parentOf, at);
  for (;;) {
    const began = leaving[owner];
    if (began === undefined || isBefore(began, position)) return owner;
    owner = intAt(parentOf, owner);
  }
}

/** Every trajectory after all that descend from it. */
function bottomUp(owners: readonly number[]): number[] {
  const waiting = new Int32Array(owners.length);
  for (const owner of owners) if (owner !== -1) waiting[owner] = intAt(waiting, owner) + 1;
  const ready = [...owners.keys()].filter((at) => waiting[at] === 0);
  for (let next = 0; next < ready.length; next += 1) {
    const owner = entry(owners, entry(ready, next));
    if (owner === -1) continue;
    waiting[owner] = intAt(waiting, owner) - 1;
    if (waiting[owner] === 0) ready.push(owner);
  }
  return ready;
}

/** Points on a trajectory's own part, in order; branches that leave earlier do not pass later ones. */
function pointsOf(
  owner: number,
  branches: readonly number[],
  leaving: readonly (Position | undefined)[],
  below: readonly (readonly number[])[],
): BranchPoint[] {
  const at = (branch: number): Position => leaving[branch] as Position;
  const sorted = branches.toSorted((left, right) =>
    isBefore(at(left), at(right)) ? -1 : isBefore(at(right), at(left)) ? 1 : 0,
  );
  const points: BranchPoint[] = [];
  for (const [place, branch] of sorted.entries()) {
    const { step, token } = at(branch);
    const last = points.at(-1);
    if ((step === 0 && token === 0) || (last?.step === step && last.token === token)) continue;
    const through = [owner, ...sorted.slice(place).flatMap((other) => entry(below, other))];
    points.push({ step, token, through });
  }
  return points;
}

/** The owner's way up to the point where the trajectory left it, then its own points. */
function wayTo(
  at: number,
  owners: readonly number[],
  leaving: readonly (Position | undefined)[],
  own: readonly (readonly BranchPoint[])[],
): BranchPoint[] {
  let way = [...entry(own, at)];
  for (let child = at, owner = entry(owners, at); owner !== -1; child = owner, owner = entry(owners, owner)) {
    const left = leaving[child] as Position;
    way = [...entry(own, owner).filter((point) => !isBefore(left, point)), ...way];
  }
  return way;
}

// Stretches between branch points: what is written between two of them earns the change of a value.

/** Writes into each token of a row what its stretch earns; stretch n ends at point n, the last one with the response. */
export function fillStretches(
  target: Float64Array,
  row: CreditRow,
  points: readonly BranchPoint[],
  earned: readonly number[],
): void {
  let passed = 0;
  eachPosition(row, (token, position) => {
    while (passed < points.length && !isBefore(position, entry(points, passed))) passed += 1;
    target[token] = entry(earned, passed);
  });
}

/** Differences of neighbours: from n + 1 levels to what n stretches earn. */
export function changes(levels: readonly number[]): number[] {
  return levels.slice(1).map((level, at) => level - entry(levels, at));
}

/** Where each token of a row stands in its step's response; a branch that left inside it begins later. */
export function eachPosition(row: CreditRow, visit: (token: number, position: Position) => void): void {
  const skipped = row.signals?.skippedTokens ?? 0;
  for (let token = 0; token < row.mask.length; token += 1) visit(token, { step: row.step, token: skipped + token });
}
