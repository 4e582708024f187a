/** What an optimiser step may be asked for, here and on a trainer. */
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

/** The settings of a step with their defaults, and what gradients of that norm are multiplied by. */
export function stepSettings(options: StepOptions, norm: number) {
  const { learningRate, clipNorm, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0 } = options;
  const scale = clipNorm !== undefined && norm > clipNorm ? clipNorm / (norm + 1e-6) : 1;
  return { adam: { learningRate, beta1, beta2, epsilon, weightDecay }, scale };
}
