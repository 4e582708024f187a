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
    departures: [
      "An episode that failed, or that the budget cut off, has no vote; one that ran out of steps votes with its last action. Which answers are equal is decided by `alike`.",
      "Where none has a vote, the first that took a step is chosen.",
      "A vote before every step (over step) is ours; the paper votes once, on final answers.",
      "By default 8 voices are asked, at the policy's temperature; the paper draws 40, at 0.5 or 0.7 and mostly from the 40 most probable tokens. The first episode with the chosen answer is acted on; the paper counts answers alone.",
      "Answers that could not be read count as one and the same answer.",
    ],
  },
  options: voteOptions,
  create: ({ n, over }) => ({
    run: (scope) =>
      over === "step" ? voteOverSteps(scope, n, () => 1) : voteOverEpisodes(scope, n, (ends) => ends.map(() => 1)),
  }),
});
