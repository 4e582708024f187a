/**
 * Successive halving: many settings train a little, the better half goes on from its checkpoint, and so on until two are
 * left. Every round may spend the same, so that the fewer there are, the longer they train.
 *
 * Source: Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", 2016.
 */
import { meanOf, type Scores } from "../decide.ts";

/** What a round came to. */
export interface RoundOutcome {
  /** Validation success at its end: of each trial, one for each seed; null where the run failed. */
  readonly scores: Scores;
  /** What all runs together have spent since the tune began, in the account of the budget. */
  readonly spent: number;
  /** What one run costs beside its own training, in the same account: evaluations and starting, where time is the budget. */
  readonly overhead?: number | undefined;
}

export interface Round extends RoundOutcome {
  readonly trials: readonly string[];
  /** What each run may have spent at its end, from its first update on. */
  readonly amount: number;
}

export interface Halving {
  /** In the order in which they win where two are equal. */
  readonly trials: readonly string[];
  readonly seeds: number;
  /** For all runs of all rounds together. */
  readonly budget: number;
  /** Rounds that are over already. */
  readonly done: readonly Round[];
  /** Trains each of these until it has spent the amount. */
  readonly train: (trials: readonly string[], amount: number, round: number) => Promise<RoundOutcome>;
  /** Gets every round that is over, before the next one begins. */
  readonly onRound: (rounds: readonly Round[]) => Promise<void>;
}

/** How many trials each round has: 6 gives 6, 3, 2. */
export function roundSizes(trials: number): number[] {
  const sizes: number[] = [];
  for (let left = trials; left > 1; left = Math.ceil(left / 2)) sizes.push(left);
  return sizes;
}

/** The best first. Trials that failed with any seed come last; equal ones stay in their order. */
export function rankedTrials(trials: readonly string[], scores: Scores): string[] {
  const value = (name: string): number => {
    const own = scores[name] ?? [];
    return own.length === 0 || own.includes(null) ? Number.NEGATIVE_INFINITY : meanOf(own);
  };
  return trials.toSorted((left, right) => (value(left) === value(right) ? 0 : value(right) - value(left)));
}

/** Fewer rounds than there are sizes where the budget is spent before. */
export async function halve({ trials, seeds, budget, done, train, onRound }: Halving): Promise<Round[]> {
  const rounds = [...done];
  const sizes = roundSizes(trials.length);
  for (let at = rounds.length; at < sizes.length; at += 1) {
    const before = rounds.at(-1);
    const size = sizes[at] as number;
    const going = before === undefined ? trials : rankedTrials(before.trials, before.scores).slice(0, size);
    const left = budget - (before?.spent ?? 0);
    // A first round always has something to spend; updates are whole, so that earlier rounds may have spent it all.
    if (left <= 0) break;
    const share = left / (sizes.length - at) / (size * seeds) - (before?.overhead ?? 0);
    const amount = Math.ceil((before?.amount ?? 0) + Math.max(1, share));
    // In the order of the trials, so that a tie is decided alike in every round.
    const inOrder = trials.filter((name) => going.includes(name));
    rounds.push({ trials: inOrder, amount, ...(await train(inOrder, amount, at)) });
    await onRound(rounds);
  }
  return rounds;
}
