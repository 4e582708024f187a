/**
 * AdamW with decoupled weight decay, over the flat array of all parameters:
 *
 *   m = b1 m + (1 - b1) g        v = b2 v + (1 - b2) g^2
 *   p = p (1 - lr decay) - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
 *
 * Paper: Decoupled Weight Decay Regularization, arXiv 1711.05101, algorithm 2; bias correction as in Adam.
 *
 * Its inner loop is `adam-kernel.ts`: as a graph it took four times as long (15M parameters on two cores: 200 ms against 46),
 * because every one of its fourteen element-wise operators reads and writes memory of its own.
 */
import { plainAdamKernel, type AdamKernel } from "./adam-kernel.ts";

export interface AdamOptions {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
}

export interface AdamState {
  step: number;
  readonly first: Float32Array;
  readonly second: Float32Array;
}

/** Updates parameters and moments in place; elements before `decayed` are decayed, gradients count `scale` times. */
export function adamStep(
  arrays: {
    readonly parameters: Float32Array;
    readonly gradients: Float32Array;
    readonly decayed: number;
    readonly scale: number;
  },
  state: AdamState,
  options: AdamOptions,
  kernel: AdamKernel = plainAdamKernel,
): void {
  state.step += 1;
  const { beta1, beta2, learningRate, epsilon, weightDecay } = options;
  const { parameters, gradients, decayed, scale } = arrays;
  const places = { parameters, gradients, first: state.first, second: state.second };
  const factors = {
    scale,
    firstShare: 1 - beta1,
    secondShare: 1 - beta2,
    rate: learningRate / (1 - beta1 ** state.step),
    correction: 1 / (1 - beta2 ** state.step),
    epsilon,
  };
  kernel(places, 0, decayed, { ...factors, keep: 1 - learningRate * weightDecay });
  kernel(places, decayed, parameters.length, { ...factors, keep: 1 });
}
