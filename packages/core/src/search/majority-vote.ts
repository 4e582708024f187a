/** Majority vote: the answer that most voices agree on (self-consistency). */
import { defineSearch } from "./search.ts";
import { voteOptions, voteOverEpisodes, voteOverSteps } from "./votes.ts";

export const majorityVote = defineSearch({
  info: {
    title: "Majority vote",
    paper: "Self-Consistency Improves Chain of Thought Reasoning in Language Models",
    confidence: "paper",
    source: "arXiv 2203.11171, section 2",
    formula: [
      "chosen = argmax over answers a of the number of voices i with answer_i = a;   of equals the first",
      "over: episode: answer_i is the last action of episode i;   over: step: a vote before every step",
    ],
    meaning: "Asks n times and acts on the answer that was given most often, without any value.",
    departures: ["An episode that did not end has no vote; equal answers are told by `alike`."],
  },
  options: voteOptions,
  create: ({ n, over }) => ({
    run: (scope) =>
      over === "step" ? voteOverSteps(scope, n, () => 1) : voteOverEpisodes(scope, n, (ends) => ends.map(() => 1)),
  }),
});
