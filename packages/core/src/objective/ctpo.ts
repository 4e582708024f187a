/**
 * CTPO: a token is weighed by the ratio of the whole prefix up to it, clipped the wider the further it stands.
 *
 *   c_t = sum of (new - old) up to t;  log r_t = min(stopped(c_t) + new_t - stopped(new_t), 10)
 *   bounds of log r_t: -low * t^power and high * t^power;  loss as the clipped one with these bounds
 *
 * The gradient goes through token t only.
 */
import { option } from "limbeck-base/base/option";
import { clip, heldDifference, MOST_LOG_RATIO } from "./ratio.ts";
import { policyLossOptions, tokenObjective, type RowView } from "./token-objective.ts";
import { defineObjective, TWO_STEPS } from "./objective.ts";

const MOST = 10;

export const ctpo = defineObjective({
  id: "ctpo",
  info: {
    title: "Cumulative-token policy optimisation (CTPO)",
    paper: "Rethinking Importance Sampling in LLM Policy Optimization: A Cumulative Token Perspective",
    confidence: "code",
    source:
      "horizon-llm/CTPO @ acc40211; verl/trainer/ppo/core_algos.py: compute_policy_loss_cum_token_cumprod_la, compute_policy_loss_cum_token_geomean_la",
    formula: [
      "r_t = exp(sum of (new - old) up to t); L = max(-A r, -A clip(r, exp(-clipLow t^power), exp(clipHigh t^power))); where A < 0: L = min(L, -A dualClip)",
    ],
    meaning: "Corrects each token by the chance of all that came before it, with more room the longer that is.",
    departures: [
      "The published dual clip is a constant of its own (la_clip_c), equal to that of the upper clip, 0.05, so that tokens of negative advantage above it have no gradient; here option dualClip takes the upper clip, and a number in its place does not grow with the position.",
      "The growth of 0.5 is that of the published script; the default of its configuration is 0. With the mean the script keeps 0.5, though its comment recommends -0.5, as here.",
      "A row is a token stream: a whole episode with one growing conversation, one answer with prompts made anew; prefix and position count from its first trained token. Published code counts them through all turns of a conversation.",
      "A published training also weighs each row by the ratio of trainer to sampler, at most 5; here rolloutCorrection is off by default. Its configuration takes answers without a call and without a boxed answer out of the loss (mask_void_turns), its script does not, as here.",
    ],
  },
  policyLoss: true,
  ratios: TWO_STEPS,
  options: {
    ...policyLossOptions,
    clipLow: option.number(0.025, "lower bound in log space, at the first trained token", { least: 0 }),
    clipHigh: option.number(0.05, "upper bound in log space, at the first trained token", { least: 0 }),
    power: option.limit(null, "growth of the bounds with the position; none: 0.5, and -0.5 with the mean", {
      least: -2,
      most: 2,
    }),
    prefix: option.choice("sum", ["sum", "mean"], "the prefix's log-ratio, or its mean over the prefix's tokens"),
    dualClip: {
      kind: "limit",
      default: "upper",
      words: ["upper"],
      above: 1,
      meaning: "bound of the loss where A < 0: the upper clip, a number, or none",
    },
  },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (options, own) => {
    const power = options.power ?? (options.prefix === "mean" ? -0.5 : 0.5);
    return tokenObjective({
      ...own,
      metrics: ["clipFraction", "lowerClipFraction", "approximateKl"],
      row: (view, out) => {
        const { live, frozen, fields } = view;
        const prefixes = prefixRatios(view, options.prefix);
        return (token) => {
          const advantage = fields.advantages[token] as number;
          const { sum, place } = prefixes.get(token) as { readonly sum: number; readonly place: number };
          const logRatio = sum + (live[token] as number) - (frozen[token] as number);
          const ratio = Math.exp(Math.min(logRatio, MOST));
          const width = place ** power;
          const upper = Math.exp(options.clipHigh * width);
          const free = -advantage * ratio;
          const bounded = -advantage * clip(ratio, Math.exp(-options.clipLow * width), upper);
          const dual = options.dualClip === "upper" ? upper : options.dualClip;
          const isDual = dual !== null && advantage < 0 && Math.max(free, bounded) > -advantage * dual;
          out.value = isDual ? -advantage * dual : Math.max(free, bounded);
          out.slope = isDual || bounded > free || logRatio > MOST ? 0 : free;
          out.counts[0] = (out.counts[0] as number) + Number(bounded > free);
          out.counts[1] = (out.counts[1] as number) + Number(isDual);
          const difference = (live[token] as number) - (fields.oldLogprobs[token] as number);
          out.counts[2] = (out.counts[2] as number) - heldDifference(difference);
        };
      },
    });
  },
});

/** The prefix's log-ratio at each trained token, and its place among them, from 1. Read from `frozen`. */
function prefixRatios({ frozen, trained, fields }: RowView<"advantages" | "oldLogprobs">, prefix: "sum" | "mean") {
  const found = new Map<number, { readonly sum: number; readonly place: number }>();
  let [sum, place] = [0, 0];
  for (const token of trained) {
    place += 1;
    sum += clip((frozen[token] as number) - (fields.oldLogprobs[token] as number), -MOST_LOG_RATIO, MOST_LOG_RATIO);
    found.set(token, { sum: prefix === "mean" ? sum / place : sum, place });
  }
  return found;
}
