/** Best of N: whole episodes side by side, the best one counts. */
import { option } from "limbeck-base/base/option";
import { bestOf } from "./worth.ts";
import { defineSearch } from "./search.ts";

export const bestOfN = defineSearch({
  info: {
    title: "Best of N",
    paper: "the common baseline of test-time compute",
    confidence: "practice",
    formula: ["chosen = argmax over episodes i = 1 .. n of V(end of episode i)"],
    meaning: "Rolls out n episodes from the start and acts on the one whose end is valued highest.",
    departures: ["Where the search may see the world's outcome, that is the value of an end."],
  },
  options: {
    n: option.count(8, "episodes"),
    stop: option.flag(true, "begin no further round once an end is valued 1"),
    together: option.count(8, "episodes of one round"),
  },
  create: ({ n, stop, together }) => ({
    run: async (scope) => {
      const ends = [];
      for (let begun = 0; begun < n; begun += together) {
        const round = Array.from({ length: Math.min(together, n - begun) }, (_, at) => begun + at);
        const walked = await scope.each(round, (own) => own.walkOn(scope.root));
        const reached = walked.filter((end) => end !== undefined);
        await scope.evaluate(reached);
        ends.push(...reached);
        if (reached.length === 0 || (stop && reached.some(({ estimate }) => estimate === 1))) break;
      }
      return bestOf(ends);
    },
  }),
});
