/** Levels of the grid: what stands where, what a move does, how far everything is, and the shortest way by search. */
import { shuffle, type Rng } from "../../packages/base/src/base/rng.ts";

/** Cells on a side of the room. */
export const SIZE = 5;

/** Cells are numbered line by line. */
export interface Grid {
  readonly walls: readonly number[];
  readonly goals: readonly number[];
}

/** What moves. */
export interface Place {
  readonly you: number;
  /** Ascending, so that equal places look equal. */
  readonly boxes: readonly number[];
}

export interface Level {
  readonly grid: Grid;
  readonly start: Place;
}

interface Dial {
  readonly walls: number;
  /** None: the walker itself goes to the goal. */
  readonly boxes: number;
  /** Moves of the shortest way, at least and at most. */
  readonly way: readonly [number, number];
  /** Of an episode. */
  readonly steps: number;
}

export const levels = {
  walk: { walls: 4, boxes: 0, way: [3, 7], steps: 10 },
  push: { walls: 2, boxes: 1, way: [2, 7], steps: 12 },
  two: { walls: 2, boxes: 2, way: [4, 14], steps: 28 },
} as const satisfies Record<string, Dial>;

export type LevelId = keyof typeof levels;

export const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  up: [0, -1],
  down: [0, 1],
  left: [-1, 0],
  right: [1, 0],
};

/** Solvable, by a way of the length that the difficulty asks for; drawn until it is. */
export function drawLevel(id: string, rng: Rng): Level {
  const { walls, boxes, way } = levels[id as LevelId];
  for (;;) {
    const cells = shuffle([...Array(SIZE ** 2).keys()], rng);
    // A box at the edge can hardly leave it, so none begins there.
    const inner = cells.filter((cell) => [cell % SIZE, Math.floor(cell / SIZE)].every((at) => at > 0 && at < SIZE - 1));
    const boxesAt = ascending(inner.slice(0, boxes));
    const free = cells.filter((cell) => !boxesAt.includes(cell));
    const next = (count: number): number[] => ascending(free.splice(0, count));
    const [you = 0] = next(1);
    const level = {
      grid: { walls: next(walls), goals: next(Math.max(1, boxes)) },
      start: { you, boxes: boxesAt },
    };
    const found = shortestWay(level.grid, level.start, way[1])?.length ?? 0;
    if (found >= way[0]) return level;
  }
}

const ascending = (cells: readonly number[]): number[] => cells.toSorted((one, other) => one - other);

function neighbour({ walls }: Grid, cell: number, [x, y]: readonly [number, number]): number | undefined {
  const [column, row] = [(cell % SIZE) + x, Math.floor(cell / SIZE) + y];
  const next = row * SIZE + column;
  return column < 0 || row < 0 || column >= SIZE || row >= SIZE || walls.includes(next) ? undefined : next;
}

/** Where a move leads; undefined where a wall, the edge or what is behind a box is in the way. */
export function moved(grid: Grid, place: Place, way: string): Place | undefined {
  const by = Object.hasOwn(WAYS, way) ? WAYS[way] : undefined;
  return by && pushed(place, (cell) => neighbour(grid, cell, by));
}

function pushed({ you, boxes }: Place, beside: (cell: number) => number | undefined): Place | undefined {
  const next = beside(you);
  if (next === undefined) return undefined;
  if (!boxes.includes(next)) return { you: next, boxes };
  const behind = beside(next);
  if (behind === undefined || boxes.includes(behind)) return undefined;
  const after = ascending(boxes.map((box) => (box === next ? behind : box)));
  return { you: next, boxes: after };
}

/** The boxes, or the walker where there are none. */
const piecesOf = ({ you, boxes }: Place): readonly number[] => (boxes.length === 0 ? [you] : boxes);

export function isSolved({ goals }: Grid, place: Place): boolean {
  return piecesOf(place).every((piece) => goals.includes(piece));
}

/** A place of the search, and how it was come to. */
interface Reached {
  readonly place: Place;
  readonly from?: Reached;
  readonly way?: string;
}

/** Moves of a shortest way to the end, by breadth-first search; undefined where there is none, or none of at most so many moves. */
export function shortestWay(grid: Grid, start: Place, most = Number.POSITIVE_INFINITY): readonly string[] | undefined {
  const keyOf = ({ you, boxes }: Place): number => boxes.reduce((key, box) => key * 64 + box, you);
  const ways = Object.entries(WAYS).map(([way, by]) => {
    const beside = Array.from({ length: SIZE ** 2 }, (_, cell) => neighbour(grid, cell, by));
    return { way, beside: (cell: number) => beside[cell] };
  });
  const known = new Set([keyOf(start)]);
  if (isSolved(grid, start)) return [];
  for (let [edge, moves]: [Reached[], number] = [[{ place: start }], 0]; edge.length > 0 && moves < most; moves += 1) {
    const further: Reached[] = [];
    for (const from of edge) {
      for (const { way, beside } of ways) {
        const place = pushed(from.place, beside);
        if (place === undefined || known.has(keyOf(place))) continue;
        if (isSolved(grid, place)) return movesTo({ place, from, way });
        known.add(keyOf(place));
        further.push({ place, from, way });
      }
    }
    edge = further;
  }
  return undefined;
}

function movesTo({ from, way }: Reached): string[] {
  return from === undefined || way === undefined ? [] : [...movesTo(from), way];
}

/** How far it is along the floor from every cell to this one; boxes are not in the way. */
function distancesTo(grid: Grid, goal: number): readonly number[] {
  const far = Array.from({ length: SIZE ** 2 }, () => Number.POSITIVE_INFINITY);
  let edge = [goal];
  for (let steps = 0; edge.length > 0; steps += 1) {
    for (const cell of edge) far[cell] = steps;
    edge = [...new Set(edge.flatMap((cell) => Object.values(WAYS).flatMap((by) => neighbour(grid, cell, by) ?? [])))].filter((cell) => far[cell] === Number.POSITIVE_INFINITY); // prettier-ignore
  }
  return far;
}

/**
 * How much of the distance is behind, from 0 to 1: along the floor, from the boxes to the goals (each has its own, so that the
 * sum is least), or from the walker to the goal; nothing for what is further away than at the start.
 */
export function progressOf({ grid, start }: Level): (place: Place) => number {
  const tables = grid.goals.map((goal) => distancesTo(grid, goal));
  const least = (pieces: readonly number[], free: readonly (readonly number[])[]): number => {
    const [piece, ...others] = pieces;
    if (piece === undefined) return 0;
    return Math.min(...free.map((far, at) => (far[piece] as number) + least(others, free.toSpliced(at, 1))));
  };
  const far = (place: Place): number => least(piecesOf(place), tables);
  const all = far(start);
  return (place) => Math.max(0, 1 - far(place) / all);
}
