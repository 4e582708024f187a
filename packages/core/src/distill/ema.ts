/** A running average of the policy: average = decay * average + (1 - decay) * policy, after every update. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import { copyWeights } from "limbeck-policy/policy/local/weights";
import type { TeacherKind } from "./teacher.ts";

export const ema = {
  info: {
    title: "A running average",
    meaning: "Follows the policy slowly: newer than the frozen start, steadier than the policy itself.",
  },
  options: { decay: option.share(0.95, "what it keeps of itself at each update") },
  create: (model, { start, decay }) => {
    if (!(decay >= 0 && decay < 1)) {
      throw new EngineError("bad-option", `The teacher's decay is ${decay}; it must be from 0 to below 1, 0.95 say.`);
    }
    const average = copyWeights(start);
    return {
      scorer: model.scorerWith(average),
      state: average,
      learned: () => {
        const [held, now] = [average.flat, model.weights.flat];
        for (let at = 0; at < held.length; at += 1) {
          held[at] = decay * (held[at] as number) + (1 - decay) * (now[at] as number);
        }
      },
    };
  },
} as const satisfies TeacherKind;
