/** What an optimiser step may be asked for, whoever makes it. */
import { checkOptions, may } from "../base/options.ts";
import type { StepOptions } from "./policy.ts";

const BETA = { kind: "number", least: 0, most: 1 } as const;
export const STEP_CHECKS = {
  learningRate: may.amount,
  beta1: BETA,
  beta2: BETA,
  epsilon: may.amount,
  weightDecay: may.amount,
  clipNorm: may.positive,
} as const;

export function checkStepOptions(options: StepOptions): void {
  checkOptions("step", options, STEP_CHECKS);
}
