/** A verifier as value: what can be checked is known, what cannot is not guessed. */
import { outcomeOfNode } from "../../walk/tree/node.ts";
import { defineValue, within01 } from "./value.ts";

export const verifier = defineValue({
  info: {
    title: "Verifier",
    paper: "verifiable rewards, as used everywhere",
    confidence: "practice",
    formula: ["V(node) = verify(node) where the check can say; nothing elsewhere"],
    meaning: "Asks a check: one that the caller gives, otherwise the world's own outcome of an ended episode.",
    departures: [
      "Without a check of the caller's the world is the verifier, also for a search that was told not to look at outcomes: an oracle.",
    ],
  },
  options: {},
  create: (_options, { verifier: verify = outcomeOfNode }) => ({
    estimate: async (nodes) => {
      const verdicts = await Promise.all(nodes.map(async (node) => await verify(node)));
      return verdicts.map((verdict) => (verdict === undefined ? undefined : within01(verdict)));
    },
  }),
});
