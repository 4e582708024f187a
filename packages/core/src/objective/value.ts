/**
 * The loss of a value head, clipped around its old estimate.
 *
 * methods.md 2.6. A value stands at every position, so the first token counts too.
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
    departures: ["The factor 0.5 is an option, because some code bases leave it out."],
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
