/** Monte Carlo: the policy plays on from a node a few times, and the mean of how that ends is its value. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import { outcomeOfNode, type SearchNode } from "../../walk/tree/node.ts";
import type { Value } from "../search.ts";
import { defineValue } from "./value.ts";

export const monteCarlo = defineValue({
  info: {
    title: "Monte Carlo rollouts",
    paper: "Agent Q; Monte Carlo evaluation as in every tree search since Coulom 2006",
    confidence: "practice",
    formula: ["V(node) = mean over r = 1 .. rollouts of outcome(policy plays on from the node)"],
    meaning: "Lets the policy finish the episode from the node several times and takes the mean outcome.",
    departures: [
      "Continuations are stored as branches like everything else, marked as simulated.",
      "One that did not end (the budget, or a limit of `steps`) counts as nothing, not as 0; without any that ended there is no value.",
    ],
  },
  options: {
    rollouts: option.count(1, "continuations of a node"),
    steps: option.limit(null, "steps of a continuation", { least: 1, whole: true }),
  },
  create: ({ rollouts, steps }) => ({
    estimate: async (nodes, scope) => {
      if (!scope.seesOutcome) {
        throw new EngineError(
          "needs-unmet",
          "The value monte-carlo needs outcomes of the world; let the search see them, or use another value.",
          { details: { missing: ["outcome"] } },
        );
      }
      const starts = nodes.flatMap((node) => Array.from({ length: rollouts }, () => node));
      const limit = steps === null ? {} : { steps };
      const ends = await scope.each(starts, (own, node) => own.walkOn(node, { simulated: true, ...limit }));
      return nodes.map((_, at) => meanOutcome(ends.slice(at * rollouts, (at + 1) * rollouts)));
    },
  }),
});

function meanOutcome(ends: readonly (SearchNode | undefined)[]): number | undefined {
  const known = ends.flatMap((end) => (end === undefined ? [] : (outcomeOfNode(end) ?? [])));
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** What tree searches use when they are given nothing else. */
export function playedOut(): Value {
  return monteCarlo.create({ rollouts: 1, steps: null }, {});
}
