/** RTV: many attempts, compact summaries, and a recursive tournament over them. */
import { option } from "../base/index.ts";
import { attempt } from "./attempts.ts";
import { worthOf } from "./line-signs.ts";
import { listAttempts, readChoice } from "./line-summary.ts";
import type { SearchNode } from "../walk/tree/node.ts";
import { defineSearch, type SearchScope } from "./search.ts";
import { holdTournament } from "./tournament.ts";

export const rtv = defineSearch({
  info: {
    title: "RTV",
    paper: "Scaling Test-Time Compute for Agentic Coding",
    confidence: "paper",
    formula: [
      "attempts   = `attempts` episodes of the policy, each made into a summary: actions, refusals, how it ended",
      "round      = groups of `size`; each is compared `votes` times, in another order each time; the most votes go on",
      "answer     = who is left when one is left",
    ],
    meaning: "Recursive tournament voting: a judge compares a few summaries at a time until one attempt is left.",
    departures: [
      "Without a text model attempts are compared by what the search may know: the world's outcome where it may be looked at, otherwise the signs of a line (actions that were possible, new states, how sure the policy was, whether it ended). With the outcome in view a tournament finds what best-of-n finds.",
      "Summaries are made by rule from the recording, not written by a model.",
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
