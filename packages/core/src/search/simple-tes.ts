/** SimpleTES: parallel chains of evaluate-and-refine, several candidates at every step, the local winner goes on. */
import { option } from "limbeck-base/base/option";
import { retry, walkEach } from "./attempts.ts";
import { isSolved, worthiestNode, worthOf } from "./worth.ts";
import { defineSearch, type SearchNode } from "./search.ts";

export const simpleTes = defineSearch({
  info: {
    title: "SimpleTES",
    paper: "Evaluation-driven Scaling for Scientific Discovery",
    confidence: "inferred",
    formula: [
      "chain      = `chains` of them side by side, each with its best attempt so far",
      "refinement = `candidates` new attempts from where that attempt went wrong",
      "winner     = the best of the candidates and the attempt they came from; it goes on, up to `depth` times",
    ],
    meaning: "Evaluation-driven search: width, depth and candidates of refinement chains under one budget.",
    departures: [
      "An attempt is an episode. It is refined from its first refused or repeated step, or from its middle; the abstract leaves open how feedback is given.",
    ],
  },
  options: {
    chains: option.count(2, "chains side by side"),
    candidates: option.count(2, "attempts of a refinement"),
    depth: option.count(8, "refinements of a chain"),
    advise: option.flag(false, "tell an attempt by rule what failed, for models that read advice"),
  },
  create: ({ chains, candidates, depth, advise }) => ({
    run: async (scope) => {
      let winners: (SearchNode | undefined)[] = Array.from({ length: chains }, () => undefined);
      for (let round = 0; round < depth; round += 1) {
        const starts = winners.flatMap((winner) =>
          Array.from({ length: candidates }, () =>
            winner === undefined ? { from: scope.root } : retry(winner, advise ? "rule" : "none"),
          ),
        );
        // All chains take their refinement at the same time, so that what they find does not depend on who is quicker.
        const ends = await walkEach(scope, starts);
        if (ends.every((end) => end === undefined)) break;
        for (const end of ends) if (end !== undefined && round > 0) end.info = { ...end.info, refinement: round };
        winners = winners.map((winner, chain) => {
          const own = ends.slice(chain * candidates, (chain + 1) * candidates);
          return better(winner, worthiestNode(own.filter((end) => end !== undefined)));
        });
        if (winners.some((winner) => winner !== undefined && isSolved(winner))) break;
      }
      return worthiestNode(winners.filter((winner) => winner !== undefined));
    },
  }),
});

/** A winner that is only as good gives way: standing still would refine the same place for ever. */
function better(before: SearchNode | undefined, after: SearchNode | undefined): SearchNode | undefined {
  if (before === undefined || after === undefined) return after ?? before;
  return worthOf(after) >= worthOf(before) ? after : before;
}
