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
 *
 * A step that would destroy the weights is refused before it changes anything. From the largest numbers of the step before,
 * which the loop notes anyway, follows how far this one can reach; only where that is too far is it computed on trial first.
 */
import { EngineError } from "limbeck-base/base/errors";
import { plainAdamKernel, type AdamKernel, type AdamReach } from "./adam-kernel.ts";

/** Norms in a model square its numbers: from here on the square is no float32, and nothing that follows is a number. */
const LARGEST = 2 ** 63;

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
  /** The largest numbers after the step that is named; missing: not known, as after loading. */
  reach?: (AdamReach & { readonly step: number }) | undefined;
}

/**
 * Updates parameters and moments in place; elements before `decayed` are decayed, gradients count `scale` times. `norm` bounds every
 * gradient; without it each step is computed on trial first.
 */
export function adamStep(
  arrays: {
    readonly parameters: Float32Array;
    readonly gradients: Float32Array;
    readonly decayed: number;
    readonly scale: number;
    readonly norm?: number;
  },
  state: AdamState,
  options: AdamOptions,
  kernel: AdamKernel = plainAdamKernel,
): void {
  const { beta1, beta2, learningRate, epsilon, weightDecay } = options;
  const { parameters, gradients, decayed, scale, norm = Infinity } = arrays;
  const step = state.step + 1;
  const places = { parameters, gradients, first: state.first, second: state.second };
  const factors = {
    scale,
    firstShare: 1 - beta1,
    secondShare: 1 - beta2,
    rate: learningRate / (1 - beta1 ** step),
    correction: 1 / (1 - beta2 ** step),
    epsilon,
  };
  const keep = 1 - learningRate * weightDecay;
  const run = (isTrial: boolean): AdamReach =>
    farther(
      kernel(places, 0, decayed, { ...factors, keep }, isTrial),
      kernel(places, decayed, parameters.length, { ...factors, keep: 1 }, isTrial),
    );
  const known = state.reach?.step === state.step ? state.reach : undefined;
  const moment = Math.max(known?.first ?? Infinity, norm * scale);
  const move = (Math.abs(factors.rate) * moment) / Math.min(1, epsilon);
  const isNear = known !== undefined && Math.max(1, Math.abs(keep)) * known.parameters + move < LARGEST;
  const refused = isNear ? undefined : oddReach(run(true));
  if (refused !== undefined) throw notFinite(step, refused, options, "Weights and optimiser are as before.");
  const reach = run(false);
  const odd = oddReach(reach);
  // They were written to from elsewhere.
  if (odd !== undefined) throw notFinite(step, odd, options, "The weights are lost: load the last checkpoint.");
  state.step = step;
  state.reach = { ...reach, step };
}

function farther(left: AdamReach, right: AdamReach): AdamReach {
  return {
    parameters: Math.max(left.parameters, right.parameters),
    first: Math.max(left.first, right.first),
    second: Math.max(left.second, right.second),
  };
}

/** What is wrong with it, in words. */
function oddReach({ parameters, first, second }: AdamReach): string | undefined {
  if (!(parameters < LARGEST)) return `a weight ${parameters}`;
  if (!Number.isFinite(first)) return `a first moment ${first}`;
  return Number.isFinite(second) ? undefined : `a second moment ${second}`;
}

function notFinite(step: number, odd: string, options: AdamOptions, rest: string): EngineError {
  const { learningRate, weightDecay } = options;
  return new EngineError(
    "update-not-finite",
    `Step ${step} makes ${odd}, with the learning rate ${learningRate} and weight decay ${weightDecay}; magnitudes stay below ${LARGEST.toExponential(1)}. ${rest} Try a smaller learning rate.`,
    { details: { step, learningRate, weightDecay } },
  );
}
