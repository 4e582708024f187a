/** What never changes in a game: facts that no action touches, kept as sorted rows with look-ups by value. */
import type { Entities } from "./entities.ts";

export interface Relation {
  readonly arity: number;
  /** Rows in the order of the ids. */
  readonly rows: readonly (readonly number[])[];
  has(values: readonly number[]): boolean;
  /** The rows with this value at this position. */
  with(position: number, value: number): readonly (readonly number[])[];
}

export type Rows = readonly (readonly number[])[];

const NONE: Rows = [];

/** Official files state some facts several times; one row is kept of each. */
export function createRelation(arity: number, facts: readonly number[][], entities: Entities): Relation {
  const unique = new Map<number, number[]>();
  for (const fact of facts) unique.set(key(fact, entities.count), fact);
  const rows = [...unique.values()].sort(compareRows);
  const indices: (Map<number, number[][]> | undefined)[] = [];
  return {
    arity,
    rows,
    has: (values) => unique.has(key(values, entities.count)),
    with: (position, value) => {
      let index = indices[position];
      if (index === undefined) {
        index = new Map();
        for (const row of rows) {
          const at = row[position] as number;
          const list = index.get(at);
          if (list === undefined) index.set(at, [row]);
          else list.push(row);
        }
        indices[position] = index;
      }
      return index.get(value) ?? NONE;
    },
  };
}

function compareRows(left: readonly number[], right: readonly number[]): number {
  for (let index = 0; index < left.length; index += 1) {
    const difference = (left[index] as number) - (right[index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Exact up to 2 ** 53: six terms over 400 things. */
function key(values: readonly number[], count: number): number {
  let result = 0;
  for (const value of values) result = result * (count + 1) + value + 1;
  return result;
}
