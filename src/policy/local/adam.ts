/**
 * AdamW with decoupled weight decay, as a graph over a flat chunk of parameters:
 *
 *   m = b1 m + (1 - b1) g        v = b2 v + (1 - b2) g^2
 *   p = p (1 - lr decay) - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
 *
 * Paper: Decoupled Weight Decay Regularization, arXiv 1711.05101, algorithm 2; bias correction as in Adam.
 */
import { input, ops, type Program, type Tensor } from "../../graph/index.ts";

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

/** Parameters per run: large enough to be worth a call, small enough that the copies stay in the cache. */
const CHUNK = 131_072;

export function adamGraph(): Record<string, Tensor> {
  const vector = (name: string): Tensor => input(name, "float32", [CHUNK]);
  const number = (name: string): Tensor => input(name, "float32", []);
  const [parameter, gradient, first, second] = ["parameter", "gradient", "first", "second"].map(vector) as [
    Tensor,
    Tensor,
    Tensor,
    Tensor,
  ];
  const nextFirst = ops.add(ops.mul(first, number("beta1")), ops.mul(gradient, number("rest1")));
  const nextSecond = ops.add(ops.mul(second, number("beta2")), ops.mul(ops.mul(gradient, gradient), number("rest2")));
  const scaled = ops.div(
    ops.mul(nextFirst, number("rate")),
    ops.add(ops.sqrt(ops.mul(nextSecond, number("correction2"))), number("epsilon")),
  );
  return { parameter2: ops.sub(ops.mul(parameter, number("keep")), scaled), first2: nextFirst, second2: nextSecond };
}

/** Updates parameters and moments in place; elements before `decayed` are decayed, gradients count `scale` times. */
export async function adamStep(
  program: Program,
  arrays: {
    readonly parameters: Float32Array;
    readonly gradients: Float32Array;
    readonly decayed: number;
    readonly scale: number;
  },
  state: AdamState,
  options: AdamOptions,
): Promise<void> {
  state.step += 1;
  const one = (value: number): Float32Array => Float32Array.of(value);
  const { beta1, beta2, learningRate, epsilon, weightDecay } = options;
  const { parameters, gradients, decayed, scale } = arrays;
  const shared = {
    beta1: one(beta1),
    beta2: one(beta2),
    rest1: one((1 - beta1) * scale),
    rest2: one((1 - beta2) * scale * scale),
    rate: one(learningRate / (1 - beta1 ** state.step)),
    correction2: one(1 / (1 - beta2 ** state.step)),
    epsilon: one(epsilon),
  };
  const ends = [decayed, parameters.length];
  for (let start = 0; start < parameters.length;) {
    const end = Math.min(start + CHUNK, ends.find((place) => place > start) as number);
    const part = (array: Float32Array): Float32Array => filled(array.subarray(start, end));
    const held = [parameters, state.first, state.second].map(part) as [Float32Array, Float32Array, Float32Array];
    const [parameter, first, second] = held;
    const keep = one(start < decayed ? 1 - learningRate * weightDecay : 1);
    // Every result is written over the input it replaces, which nothing reads after it.
    await program.run(
      { ...shared, keep, gradient: part(gradients), parameter, first, second },
      { parameter2: parameter, first2: first, second2: second },
    );
    if (end - start < CHUNK) {
      [parameters, state.first, state.second].forEach((array, at) =>
        array.set((held[at] as Float32Array).subarray(0, end - start), start),
      );
    }
    start = end;
  }
}

/** The last chunk is shorter; the graph is not. */
function filled(part: Float32Array): Float32Array {
  if (part.length === CHUNK) return part;
  const whole = new Float32Array(CHUNK);
  whole.set(part);
  return whole;
}
