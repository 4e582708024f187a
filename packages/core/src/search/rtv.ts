/** RTV: many attempts, compact summaries, and a recursive tournament over them. */
import { option } from "limbeck-base/base/option";
import { shuffle, type Rng } from "limbeck-base/base/rng";
import { attempt } from "./attempts.ts";
import { worthOf } from "./worth.ts";
import { listAttempts, readChoice } from "./line-summary.ts";
import { firstLargest } from "../walk/shares.ts";
import { defineSearch, type SearchScope, type SearchNode } from "./search.ts";

export const rtv = defineSearch({
  info: {
    title: "RTV",
    paper: "Scaling Test-Time Compute for Agentic Coding",
    confidence: "reading",
    source:
      "a third party's implementation of arXiv 2604.16529, genji970/Scaling-Test-Time-Compute-for-Agentic-Coding- @ e4d81a67; main/rtv.py, main/pipeline.py; of the paper its abstract and summaries by others",
    formula: [
      "attempts   = `attempts` episodes of the policy, each made into a summary: actions, refusals, how it ended",
      "round      = groups of `size`; each is compared `votes` times, turned by one place each time; the most votes go on",
      "answer     = who is left when one is left",
    ],
    meaning: "Recursive tournament voting: a judge compares a few summaries at a time until one attempt is left.",
    departures: [
      "Without a text model, or where its answer cannot be read, attempts are compared by what the search may know: the world's outcome where it may be looked at, otherwise the signs of a line (actions that were possible, new states, how sure the policy was, whether it ended). With the outcome in view a tournament finds what best-of-n finds.",
      "Summaries are made by rule from the recording (40 steps and what was seen last); the paper's are written by the model: hypotheses, progress, failures.",
      "The paper's runs have 16 attempts and 8 votes, in groups of 2; here 8 and 3, in groups of 2.",
      "The paper draws the votes of a group from one prompt; here the group is turned by one place each time. Of equal votes the first stays, who is left over goes on without a vote, and from the second round on groups are drawn by lot.",
    ],
  },
  options: {
    attempts: option.count(8, "episodes of the policy"),
    size: option.count(2, "attempts of one comparison", 2),
    votes: option.count(3, "comparisons of a group"),
  },
  create: ({ attempts, size, votes }) => ({
    run: async (scope) => {
      const ends = await attempt(scope, attempts);
      const rng = scope.rng.split("tournament");
      const judged = (group: readonly SearchNode[]): Promise<number | undefined> => judge(scope, group);
      const { winner, rounds } = await holdTournament(ends, judged, { size, votes, rng });
      const best = ends[winner];
      if (best !== undefined) best.info = { ...best.info, roundsWon: rounds };
      return best;
    },
  }),
});

/** The best of a few attempts: as the text model says, otherwise by worth, and of equals the first. */
export async function judge(scope: SearchScope, group: readonly SearchNode[]): Promise<number | undefined> {
  if (scope.canAsk) {
    const said = await scope.ask(
      `${listAttempts(scope.task.goal, group)}\n\nWhich attempt reached the goal, or came nearest? Answer with its number alone.`,
      { answerTokens: 8 },
    );
    const chosen = readChoice(said, group.length);
    if (chosen !== undefined) return chosen;
  }
  const worths = group.map(worthOf);
  return worths.indexOf(Math.max(...worths));
}

// One of many by small comparisons (Recursive Tournament Voting): groups of a few are compared, each winner goes on,
// until one is left. A judge that errs now and then is asked about two or three at a time, where it errs least, and
// several times, each time in another order, so that a liking for the first place cancels.

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
export type ChooseBest<T> = (group: readonly T[]) => Promise<number | undefined>;

export async function holdTournament<T>(
  contenders: readonly T[],
  compare: ChooseBest<T>,
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
    return firstLargest(group, (at) => ballots.get(at) ?? 0) as number;
  }
}
