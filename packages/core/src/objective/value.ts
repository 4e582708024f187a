/**
 * The loss of a value head, clipped around its old estimate.
 *
 * The value of a token is read in front of it, so the first token has none.
 */
import { option } from "limbeck-base/base/option";
import { aggregationOptions } from "./aggregation.ts";
import { clip } from "./ratio.ts";
import { tokenObjective } from "./token-objective.ts";
import { defineObjective } from "./objective.ts";

export const value = defineObjective({
  id: "value",
  info: {
    title: "Clipped value loss",
    paper: "arXiv 1707.06347; the clip from public code",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_value_loss",
    formula: ["L = 0.5 max((V - R)^2, (clip(V, Vold - c, Vold + c) - R)^2)"],
    meaning: "Teaches a value head the returns, in steps of bounded size.",
    departures: [
      "The factor 0.5 is an option, because some code bases leave it out.",
      "The published critic is a network of its own, with an optimiser of its own (learning rate 1e-5) and the actor's aggregation; here it is a linear head on the policy, and a training adds this loss, times 0.5 (value-head.weight; 0.25 of the square in all) and as token-mean, to the policy's.",
      "The clip acts from the second step on a batch: published scripts take 4 (256 of 1,024 answers), a training here by default one.",
    ],
  },
  policyLoss: false,
  options: {
    ...aggregationOptions,
    clip: option.limit(
      0.5,
      "how far an update may move the estimate before its gradient ends; none: not clipped, no old values needed",
      { above: 0 },
    ),
    scale: option.number(0.5, "factor of the loss; some code bases have 1", { least: 0 }),
  },
  needs: ["value"],
  rowFields: ["returns", "oldValues"],
  create: ({ clip: range, scale }, own) =>
    tokenObjective<"returns" | "oldValues", "valueClipFraction">({
      ...own,
      fields: range === null ? ["returns"] : ["returns", "oldValues"],
      metrics: ["valueClipFraction"],
      row:
        ({ live, fields: { returns, oldValues } }, out) =>
        (token) => {
          const error = (live[token] as number) - (returns[token] as number);
          out.value = scale * error * error;
          out.slope = 2 * scale * error;
          if (range === null) return;
          const old = oldValues[token] as number;
          const held = clip(live[token] as number, old - range, old + range) - (returns[token] as number);
          if (held * held <= error * error) return;
          out.value = scale * held * held;
          out.slope = 0;
          out.counts[0] = (out.counts[0] as number) + 1;
        },
    }),
});
