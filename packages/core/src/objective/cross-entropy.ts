/**
 * Cross-entropy: make what was done more likely (behaviour cloning, supervised fine-tuning).
 *
 *   L = - sum w_t log p(token_t) / N        over the tokens with mask 1
 *
 * N is the sum of the weights in the whole batch ("tokens"), or of each row, averaged over rows ("rows"): then a long
 * answer counts no more than a short one.
 */
import { option } from "limbeck-base/base/option";
import type { Objective, TrainRow } from "limbeck-policy/policy/objective";
import { defineObjective } from "./objective.ts";

export const crossEntropy = defineObjective({
  id: "cross-entropy",
  info: {
    title: "Cross-entropy (behaviour cloning)",
    paper: "ALVINN (Pomerleau, 1988) for cloning; the loss itself is older",
    confidence: "code",
    source: "modelscope/Trinity-RFT @ 60db8e5a; trinity/algorithm/policy_loss_fn/sft_loss.py: SFTLossFn",
    formula: [
      "L = - sum w_t log p(token_t) / sum w_t, over trained tokens of all rows; average=rows: of each row, then the mean over rows",
    ],
    meaning: "Makes the recorded tokens more likely.",
    departures: [
      "The published loss has no weights of tokens; here their sum takes the place of the number of trained tokens (published code adds 1e-8 to it), in the metric trainedTokens too.",
      "Published code offers sums of rows too, and counts rows without a trained token in its means over rows; here average=rows is over rows whose weights come to more than 0.",
    ],
  },
  policyLoss: false,
  options: {
    average: option.choice("tokens", ["tokens", "rows"], "the mean over all tokens, or over rows of each row's mean"),
  },
  needs: ["logprob"],
  rowFields: [],
  create: ({ average }) => objective(average),
});

function objective(average: "tokens" | "rows"): Objective {
  return {
    needs: ["logprob"],
    constantWeights: true,
    compute: ({ logprob = [] }, _frozen, rows) => {
      const shares = rows.map(tokenShares);
      const totals = shares.map((row) => row.reduce((sum, share) => sum + share, 0));
      const whole = totals.reduce((sum, total) => sum + total, 0);
      const filled = totals.filter((total) => total > 0).length;
      let loss = 0;
      const weights = shares.map((row, at) => {
        const divisor = average === "tokens" ? whole : (totals[at] as number) * filled;
        return row.map((share, token) => {
          // A row without a trained token has nothing to divide.
          const weight = share === 0 ? 0 : -share / divisor;
          loss += weight * (logprob[at]?.[token] ?? 0);
          return weight;
        });
      });
      return { loss, weights: { logprob: weights }, metrics: { trainedTokens: whole, perplexity: Math.exp(loss) } };
    },
  };
}

/** The weight of each token; position 0 is predicted by nothing. */
function tokenShares({ mask, weights }: TrainRow): Float64Array {
  return Float64Array.from(mask, (on, at) => (at === 0 || on === 0 ? 0 : (weights?.[at] ?? 1)));
}
