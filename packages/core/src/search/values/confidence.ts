/** Confidence: how likely the policy found its own words. Costs nothing, and is what a small model without a critic has. */
import { lineTo, type SearchNode } from "../../walk/tree/node.ts";
import { defineValue } from "./value.ts";

export const confidence = defineValue({
  info: {
    title: "Confidence",
    paper: "sequence likelihood, as in beam search",
    confidence: "practice",
    formula: ["V(node) = exp(sum over the line's own tokens of log p / number of tokens)"],
    meaning: "Takes the geometric mean of the probabilities of everything the policy has said on the way to the node.",
    departures: ["Needs a policy that tells log-probabilities; without them there is no value."],
  },
  options: {},
  create: () => ({
    estimate: (nodes) => Promise.resolve(nodes.map(confidenceOf)),
  }),
});

/** From 0 to 1; undefined where nothing was sampled, or its likelihood is unknown. */
export function confidenceOf(node: SearchNode): number | undefined {
  let [logprob, tokens] = [0, 0];
  for (const { logprob: own, said } of lineTo(node)) {
    if (own === undefined) continue;
    logprob += own;
    tokens += said;
  }
  return tokens === 0 ? undefined : Math.exp(logprob / tokens);
}
