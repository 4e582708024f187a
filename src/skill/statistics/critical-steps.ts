/**
 * Critical steps by the returns of steps that stood in the same state (methods: the selector by statistics). A state
 * where returns differ much is one where something was decided; a step there with a return below the mean decided it
 * badly.
 */
import { groupedBy, mean, quantile, sum } from "../../base/index.ts";
import { groupStates, type StateMatch } from "../../trajectory/index.ts";

export interface CriticalRow {
  /** Rows of different groups never share a state. */
  readonly group: string;
  readonly state: string;
  readonly trajectory: string;
  /** `Step.index`. */
  readonly step: number;
  readonly return: number;
}

export interface CriticalOptions {
  /** At most so many per trajectory. Default: 1. */
  readonly perTrajectory?: number;
  /** States whose variance is below this quantile of all variances decide nothing. Default: 0.75. */
  readonly varianceQuantile?: number;
  /** "below": only steps that did worse than their state's mean; "either": any distance, 0 included. */
  readonly deviation?: "below" | "either";
  /** How states are compared. Default: "exact". */
  readonly match?: StateMatch;
  /** Of "similar". Default: 0.95. */
  readonly threshold?: number;
}

export interface CriticalStep {
  /** Position among the rows. */
  readonly row: number;
  readonly score: number;
  /** Rows in the same state, itself included. */
  readonly peers: readonly number[];
}

/** Keeps a step at the very mean from scoring exactly nothing. */
const LEAST_DEVIATION = 1e-6;

/** True for the rows that were selected. */
export function selectCriticalByStats(rows: readonly CriticalRow[], options: CriticalOptions = {}): boolean[] {
  const chosen = new Set(rankCriticalSteps(rows, options).map(({ row }) => row));
  return rows.map((_, row) => chosen.has(row));
}

/** The selected rows, trajectory after trajectory, the highest score first; of equal scores the later step. */
export function rankCriticalSteps(rows: readonly CriticalRow[], options: CriticalOptions = {}): CriticalStep[] {
  const { perTrajectory = 1 } = options;
  const byTrajectory = groupedBy(candidates(rows, options), ({ row }) => {
    const { trajectory, group } = rows[row] as CriticalRow;
    return JSON.stringify([group, trajectory]);
  });
  const stepOf = ({ row }: CriticalStep): number => (rows[row] as CriticalRow).step;
  return [...byTrajectory.values()].flatMap((steps) =>
    steps
      .sort((left, right) => right.score - left.score || stepOf(right) - stepOf(left))
      .slice(0, Math.max(0, perTrajectory)),
  );
}

function candidates(rows: readonly CriticalRow[], options: CriticalOptions): CriticalStep[] {
  const { varianceQuantile = 0.75, deviation = "below", match = "exact", threshold = 0.95 } = options;
  const states = groupStates(
    rows.map(({ state }) => state),
    { match, threshold, within: rows.map(({ group }) => group) },
  );
  const members = Array.from({ length: states.count }, (): number[] => []);
  states.of.forEach((state, row) => members[state]?.push(row));
  const spreads = members.map((peers) => spread(peers.map((row) => (rows[row] as CriticalRow).return)));
  const eligible = spreads.filter((_, state) => (members[state] as number[]).length >= 2);
  const cutoff =
    eligible.length === 0
      ? Infinity
      : quantile(
          eligible.map(({ variance }) => variance),
          varianceQuantile,
        );
  return rows.flatMap((row, at) => {
    const state = states.of[at] as number;
    const peers = members[state] as number[];
    const { centre, variance } = spreads[state] as Spread;
    const below = Math.max(centre - row.return, 0);
    const distance = deviation === "below" ? below : Math.abs(row.return - centre);
    const counts = deviation === "below" ? distance > 0 : true;
    if (peers.length < 2 || variance < cutoff || variance <= 0 || !counts) return [];
    return [{ row: at, score: variance * (distance + LEAST_DEVIATION), peers }];
  });
}

interface Spread {
  readonly centre: number;
  readonly variance: number;
}

/**
 * Of equal returns the variance is exactly 0: rounding in the mean must not make a state of equal returns look as if
 * something was decided there.
 */
function spread(returns: readonly number[]): Spread {
  const [first = 0] = returns;
  if (returns.every((value) => value === first)) return { centre: first, variance: 0 };
  const centre = mean(returns);
  return { centre, variance: sum(returns.map((value) => (value - centre) ** 2)) / returns.length };
}
