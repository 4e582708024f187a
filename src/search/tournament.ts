/**
 * One of many by small comparisons (Recursive Tournament Voting): groups of a few are compared, each winner goes on,
 * until one is left. A judge that errs now and then is asked about two or three at a time, where it errs least, and
 * several times, each time in another order, so that a liking for the first place cancels.
 */
import { shuffle, type Rng } from "../base/index.ts";

export interface TournamentOptions {
  /** Contenders of one comparison. */
  readonly size: number;
  /** Comparisons of each group; the most votes win, and of equal ones who stood first. */
  readonly votes: number;
  readonly rng: Rng;
}

export interface Tournament {
  /** Position among the contenders. */
  readonly winner: number;
  readonly rounds: number;
  readonly comparisons: number;
}

/** The best of a group as a position in it; undefined when it cannot say, or can no longer be paid. */
export type Comparison<T> = (group: readonly T[]) => Promise<number | undefined>;

export async function holdTournament<T>(
  contenders: readonly T[],
  compare: Comparison<T>,
  { size, votes, rng }: TournamentOptions,
): Promise<Tournament> {
  let standing = contenders.map((_, at) => at);
  const counted = { rounds: 0, comparisons: 0 };
  while (standing.length > 1) {
    const drawn = counted.rounds === 0 ? standing : shuffle(standing, rng);
    const next: number[] = [];
    for (let from = 0; from < drawn.length; from += size) {
      const group = drawn.slice(from, from + size);
      next.push(group.length === 1 ? (group[0] as number) : await winnerOf(group));
    }
    standing = next;
    counted.rounds += 1;
  }
  return { winner: standing[0] ?? 0, ...counted };

  async function winnerOf(group: readonly number[]): Promise<number> {
    const ballots = new Map<number, number>();
    for (let vote = 0; vote < votes; vote += 1) {
      const shift = vote % group.length;
      const order = [...group.slice(shift), ...group.slice(0, shift)];
      const said = await compare(order.map((at) => contenders[at] as T));
      counted.comparisons += 1;
      const chosen = said === undefined ? undefined : order[said];
      if (chosen !== undefined) ballots.set(chosen, (ballots.get(chosen) ?? 0) + 1);
    }
    return mostVotes(group, ballots);
  }
}

function mostVotes(group: readonly number[], ballots: ReadonlyMap<number, number>): number {
  let best = group[0] as number;
  for (const at of group) if ((ballots.get(at) ?? 0) > (ballots.get(best) ?? 0)) best = at;
  return best;
}
