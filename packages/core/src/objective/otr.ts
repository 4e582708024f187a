/**
 * OTR, one-token rollouts: fine-tuning as a game of one move. At each supervised position the policy
 * draws tokens; the recorded one earns 1, any other `penalty`.
 *
 *   drawn:     L = -(1/K) sum_k R_k log p(token_k)          the row's candidates are the K draws, with repetition
 *   expected:  L = -sum_v q(v) R_v log p(v)                 q = p^(1/temperature), scaled; K without end
 *
 * No gradient flows through the drawing: q is read from `frozen`.
 */
import { option } from "limbeck-base/base/option";
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";
import type { Objective, TrainRow } from "limbeck-policy/policy/objective";
import { aggregationOptions, rowFactors } from "./aggregation.ts";
import { badRow, statistic, trainedPositions } from "./row-fields.ts";
import { defineObjective } from "./objective.ts";
import { COLDEST } from "limbeck-policy/policy/policy";

const ID = "otr";
const table = {
  ...aggregationOptions,
  penalty: option.number(-0.1, "what a token that is not the recorded one earns"),
  form: option.choice(
    "drawn",
    ["drawn", "expected"],
    "the draws of the row's candidates, or what draws without end come to",
  ),
  temperature: option.number(1.3, "of the drawing, in the expected form", { least: COLDEST }),
} as const satisfies DeepTable;

export const otr = defineObjective({
  id: ID,
  info: {
    title: "One-token rollouts (OTR)",
    paper: "One-Token Rollout: Guiding Supervised Fine-Tuning of LLMs with Policy Gradient",
    confidence: "reading",
    source:
      "reviews of arXiv 2509.26313 by others (chatpaper, themoonlight.io): the one-token rollout, reward of a draw, and the loss; of the paper its first pages",
    formula: ["L = -(1/K) sum over K draws of R log p(draw); R = 1 for the recorded token, else penalty"],
    meaning: "Fine-tunes on what the policy itself would say, by whether it is what was recorded.",
    departures: [
      "The expected form weighs every candidate by its share, which is what many draws come to.",
      "The mean is over all trained positions (option aggregation); the paper takes it within each demonstration first.",
      "Of the paper its first pages and quotations of it were read: that the penalty is -0.1 and the temperature 1.3 was not seen there.",
    ],
  },
  policyLoss: false,
  options: table,
  needs: ["candidates"],
  rowFields: ["candidates"],
  create: (options) => objectiveOf(options),
});

type OtrOptions = OptionValues<typeof table>;

function objectiveOf(options: OtrOptions): Objective {
  const drawn = options.form === "drawn";
  return {
    needs: ["candidates"],
    ...(drawn ? { constantWeights: true } : {}),
    compute: (live, frozen, rows) => {
      const [lives, frozens] = [statistic(ID, live, "candidates", rows), statistic(ID, frozen, "candidates", rows)];
      const trained = trainedPositions(ID, rows);
      const factors = rowFactors(trained, options);
      let [loss, tokens, right] = [0, 0, 0];
      const weights = rows.map((row, at) => {
        const now = lives[at] as Float64Array;
        const slopes = new Float64Array(now.length);
        const positions = trained[at] as Int32Array;
        if (positions.length === 0) return slopes;
        const { count, ids } = candidatesOf(row, at);
        for (const token of positions) {
          const from = token * count;
          const shares = drawn
            ? undefined
            : sharesOf((frozens[at] as Float64Array).subarray(from, from + count), options);
          const factor = (factors[at] as number) * (row.weights?.[token] ?? 1);
          for (let one = 0; one < count; one += 1) {
            const share = shares?.[one] ?? 1 / count;
            const isRight = ids[from + one] === row.ids[token];
            slopes[from + one] = -factor * share * (isRight ? 1 : options.penalty);
            loss += (slopes[from + one] as number) * (now[from + one] as number);
            if (isRight) right += share;
          }
        }
        tokens += positions.length;
        return slopes;
      });
      const metrics = { trainedTokens: tokens, right: tokens === 0 ? 0 : right / tokens };
      return { loss, weights: { candidates: weights }, metrics };
    },
  };
}

function candidatesOf({ candidates, ids }: TrainRow, at: number): NonNullable<TrainRow["candidates"]> {
  if (candidates !== undefined && candidates.count > 0 && candidates.ids.length === ids.length * candidates.count) {
    return candidates;
  }
  throw badRow(at, "candidates", `${ID}: row ${at} has no candidates of its ${ids.length} tokens. Draw them first.`);
}

/** The policy at the temperature of the drawing, over the candidates. */
function sharesOf(logprobs: Float64Array, { temperature }: OtrOptions): Float64Array {
  const most = logprobs.reduce((largest, one) => Math.max(largest, one), Number.NEGATIVE_INFINITY);
  const shares = logprobs.map((one) => Math.exp((one - most) / temperature));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}
