/** PDR: attempts in parallel, distilled to what they taught, and new attempts that begin with it. */
import { option } from "limbeck-base/base/option";
import { attempt, retry } from "./attempts.ts";
import { isSolved, worthiestNode } from "./worth.ts";
import { listAttempts } from "./line-summary.ts";
import { defineSearch, type SearchScope, type SearchNode } from "./search.ts";

export const pdr = defineSearch({
  info: {
    title: "PDR",
    paper: "Scaling Test-Time Compute for Agentic Coding",
    confidence: "reading",
    source:
      "a third party's implementation of arXiv 2604.16529, genji970/Scaling-Test-Time-Compute-for-Agentic-Coding- @ e4d81a67; main/pdr.py, main/pipeline.py; of the paper its abstract and summaries by others",
    formula: [
      "parallel = `width` attempts",
      "distil   = one text: what is known, what works, what fails (by a text model; by rule without one)",
      "refine   = `width` new attempts that are given it; `rounds` in all, then the best of all",
    ],
    meaning: "Parallel-distil-refine: each round of attempts begins with what the rounds before have taught.",
    departures: [
      "The paper gives every new attempt 4 summaries of single attempts of the round before, written by the model, drawn by lot or chosen by RTV; here one text is distilled from up to 12 attempts of all rounds, which are listed by rule.",
      "The paper runs 16 attempts in each of two rounds and chooses by RTV among the last; here 4 in each of three, the worthiest of all rounds is chosen, and it stops once one is solved.",
      "The paper begins every attempt in a fresh world. Without a text model the attempts of a round are distilled by rule here: new ones go on from where the best one so far went wrong (its first refused or repeated step, otherwise its middle); advise is ours.",
    ],
  },
  options: {
    width: option.count(4, "attempts of a round"),
    rounds: option.count(3, "rounds"),
    advise: option.flag(false, "tell an attempt by rule what failed, for models that read advice"),
  },
  create: ({ width, rounds, advise }) => ({
    run: async (scope) => {
      const all: SearchNode[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const fresh = all.length === 0 ? await attempt(scope, width) : await refine(scope, all, { width, advise });
        if (round > 0) for (const end of fresh) end.info = { ...end.info, refinement: round };
        all.push(...fresh);
        if (fresh.length === 0 || fresh.some(isSolved)) break;
      }
      return worthiestNode(all);
    },
  }),
});

async function refine(
  scope: SearchScope,
  all: readonly SearchNode[],
  { width, advise }: { readonly width: number; readonly advise: boolean },
): Promise<SearchNode[]> {
  const best = worthiestNode(all) as SearchNode;
  const lesson = await scope.ask(
    `${listAttempts(scope.task.goal, all.slice(-12))}\n\nIn a few sentences for the next attempt: what is known now, what works, and what to do otherwise?`,
    { kind: "reflection" },
  );
  const start = lesson === undefined ? retry(best, advise ? "rule" : "none") : { from: scope.root, guidance: lesson };
  return await attempt(scope, width, start);
}
