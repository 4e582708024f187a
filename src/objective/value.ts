/**
 * The loss of a value head, clipped around its old estimate.
 *
 *   L = scale max((V - R)^2, (clip(V, Vold - c, Vold + c) - R)^2)
 *
 * methods.md 2.6. A value stands at every position, so the first token counts too.
 */
import { AGGREGATION_DEFAULTS, type AggregationOptions } from "./aggregation.ts";
import { clip } from "./ratio.ts";
import { tokenObjective } from "./token-objective.ts";
import { badOption, checkNumber, withDefaults, type ObjectiveMethod } from "./train.ts";

export interface ValueOptions extends AggregationOptions {
  /** How far an update may move the estimate before its gradient ends; null: not clipped, no old values needed. */
  readonly clip: number | null;
  /** 0.5; some code bases have 1. */
  readonly scale: number;
}

const ID = "value";
const DEFAULTS: ValueOptions = { ...AGGREGATION_DEFAULTS, clip: 0.5, scale: 0.5 };

export const value: ObjectiveMethod<ValueOptions> = {
  info: {
    title: "Clipped value loss",
    paper: "arXiv 1707.06347; the clip from public code",
    confidence: "code",
    formula: "L = 0.5 max((V - R)^2, (clip(V, Vold - c, Vold + c) - R)^2)",
    meaning: "Teaches a value head the returns, in steps of bounded size.",
    departures: ["The factor 0.5 is an option, because some code bases leave it out."],
    defaults: { ...DEFAULTS },
  },
  needs: ["value"],
  rowFields: ["returns", "oldValues"],
  create: (given) => {
    const options = withDefaults(ID, DEFAULTS, given);
    const { clip: range, scale } = options;
    if (range !== null && !(range > 0)) throw badOption(ID, "clip", range, "above 0, or null for none");
    checkNumber(ID, "scale", scale, 0);
    return tokenObjective<"returns" | "oldValues", "valueClipFraction">({
      id: ID,
      statistic: "value",
      fields: range === null ? ["returns"] : ["returns", "oldValues"],
      options,
      metrics: ["valueClipFraction"],
      row: ({ live, fields: { returns, oldValues } }, out) => {
        return (token) => {
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
        };
      },
    });
  },
};
