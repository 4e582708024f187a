/** Who sits in which row of an arena. */
import type { KeyValueStore } from "./key-value.ts";

/** What is known of those who sit. */
export interface Seated {
  readonly store: Pick<KeyValueStore, "owner">;
  cached: number;
}

export interface SeatsOptions {
  /** Whether those who leave come back: then a seat is kept for its last holder as long as there are others. */
  readonly stays: boolean;
  /** Empty seats that may lie between taken ones; more if those who leave come back. */
  readonly idle: number;
  /** Moves the first positions of a row to another. */
  readonly move: (from: number, to: number, length: number) => void;
}

export interface Seats<Row extends Seated> {
  readonly places: ReadonlyMap<Row, number>;
  /** Gives each a seat among the first `count`; `known` positions already lie there. */
  take(rows: readonly Row[], count: number, seated: (row: Row, seat: number, known: number) => void): void;
  leave(row: Row): void;
  /** How many seats there are up to the last taken one, after closing ranks if too many of them are empty. */
  span(): number;
  /** Those in some of the seats, counted from the first of these. */
  eachOf(first: number, count: number, visit: (row: Row, at: number) => void): void;
  /** What lies in empty seats is no longer anyone's. */
  forget(): void;
}

/** What the last holder left in a seat. */
interface Left {
  readonly owner: object;
  readonly length: number;
}

export function createSeats<Row extends Seated>({ stays, idle, move }: SeatsOptions): Seats<Row> {
  const places = new Map<Row, number>();
  const seats: (Row | undefined)[] = [];
  const lefts: (Left | undefined)[] = [];

  const seat = (row: Row, at: number): void => {
    while (seats.length < at) seats.push(undefined);
    seats[at] = row;
    lefts[at] = undefined;
    places.set(row, at);
  };
  const empty = (at: number): void => {
    seats[at] = undefined;
    while (seats.length > 0 && seats.at(-1) === undefined) seats.pop();
  };

  return {
    places,
    take: (rows, count, seated) => {
      const strangers: Row[] = [];
      for (const row of rows) {
        const own = stays ? lefts.findIndex((left) => left?.owner === row.store.owner) : -1;
        const known = lefts[own]?.length ?? 0;
        if (own < 0 || known > row.cached) {
          strangers.push(row);
          continue;
        }
        seat(row, own);
        seated(row, own, known);
      }
      const free = Array.from({ length: count }, (_, at) => at).filter((at) => seats[at] === undefined);
      // Seats that nobody will come back to first.
      free.sort((left, right) => Number(lefts[left] !== undefined) - Number(lefts[right] !== undefined));
      strangers.forEach((row, at) => {
        seat(row, free[at] as number);
        seated(row, free[at] as number, 0);
      });
    },
    leave: (row) => {
      const at = places.get(row) as number;
      places.delete(row);
      empty(at);
      if (stays) lefts[at] = { owner: row.store.owner, length: row.cached };
    },
    span: () => {
      const allowed = idle + (stays ? Math.floor(places.size / 4) : 0);
      while (seats.length - places.size > allowed) {
        const last = seats.length - 1;
        const row = seats[last] as Row;
        const hole = seats.indexOf(undefined);
        move(last, hole, row.cached);
        empty(last);
        seat(row, hole);
      }
      return seats.length;
    },
    eachOf: (first, count, visit) => {
      for (let at = 0; at < count; at += 1) {
        const row = seats[first + at];
        if (row !== undefined) visit(row, at);
      }
    },
    forget: () => void lefts.splice(0),
  };
}
