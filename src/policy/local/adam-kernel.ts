/**
 * The inner loop of AdamW as a small WebAssembly module, four numbers at a time, and what comes before it: gradients added up, and their
 * norm. In JavaScript the loops take two to three times as long: they have no vectors, and AdamW would be computed in double precision.
 *
 *   m += (1 - b1) (g - m)        v += (1 - b2) (g^2 - v)        p = p keep - rate m / (sqrt(v correction) + epsilon)
 *
 * with g the scaled gradient. A first moment below 1e-30 becomes zero: where gradients have ended it would else shrink
 * into denormal numbers, which are slow, and stay there. The arrays lie outside; blocks of them are copied in and out
 * of the module's memory, which fits the nearer cache, so that they need no special allocation.
 *
 * On the way it notes the largest numbers that came out, so that whoever asks for a step knows what it made of the weights.
 */
import { BLOCK, BLOCK_BYTES, instantiate, TINY } from "./adam-module.ts";

/** What one step multiplies with; all as float32. */
export interface AdamFactors {
  /** On the gradient. */
  readonly scale: number;
  /** 1 - beta1 and 1 - beta2. */
  readonly firstShare: number;
  readonly secondShare: number;
  /** On the parameter, before it moves. */
  readonly keep: number;
  readonly rate: number;
  readonly correction: number;
  readonly epsilon: number;
}

export interface AdamArrays {
  readonly parameters: Float32Array;
  readonly gradients: Float32Array;
  readonly first: Float32Array;
  readonly second: Float32Array;
}

/** The largest magnitude that came out; NaN where one of them is. */
export interface AdamReach {
  readonly parameters: number;
  readonly first: number;
  readonly second: number;
}

/** Updates parameters and moments from place `start` up to `end`. A trial says what would come out, and changes nothing. */
export type AdamKernel = (
  arrays: AdamArrays,
  start: number,
  end: number,
  factors: AdamFactors,
  isTrial?: boolean,
) => AdamReach;

export function createAdamKernel(): AdamKernel {
  const { memory, update } = instantiate();
  const inside = (array: number): Float32Array => new Float32Array(memory.buffer, array * BLOCK_BYTES, BLOCK);
  const [parameters, gradients, first, second] = [inside(0), inside(1), inside(2), inside(3)];
  const largest = new Float32Array(memory.buffer, 4 * BLOCK_BYTES, 12);
  return (arrays, start, end, factors, isTrial = false) => {
    const { scale, firstShare, secondShare, keep, rate, correction, epsilon } = factors;
    largest.fill(0);
    for (let at = start; at < end; at += BLOCK) {
      const stop = Math.min(end, at + BLOCK);
      const count = stop - at;
      parameters.set(arrays.parameters.subarray(at, stop));
      gradients.set(arrays.gradients.subarray(at, stop));
      first.set(arrays.first.subarray(at, stop));
      second.set(arrays.second.subarray(at, stop));
      // Whole vectors: behind the last number it stands again, so that nothing else is among the largest. It is not copied back.
      if (count % 4 > 0) {
        for (const array of [parameters, gradients, first, second])
          array.fill(array[count - 1] as number, count, count + 3);
      }
      update(4 * count, scale, firstShare, secondShare, keep, rate, correction, epsilon);
      if (isTrial) continue;
      arrays.parameters.set(count === BLOCK ? parameters : parameters.subarray(0, count), at);
      arrays.first.set(count === BLOCK ? first : first.subarray(0, count), at);
      arrays.second.set(count === BLOCK ? second : second.subarray(0, count), at);
    }
    const of = (array: number): number => Math.max(...largest.subarray(4 * array, 4 * array + 4));
    return { parameters: of(0), first: of(1), second: of(2) };
  };
}

/**
 * The root of the sum of all squares, in double precision. Four sums at once, or each addition would wait for the last.
 * Nothing is rounded on the way into them, so that a plain loop with four sums gives the same bits.
 */
export function createNorm(): (values: Float32Array) => number {
  const { memory, squares } = instantiate();
  const inside = new Float32Array(memory.buffer, BLOCK_BYTES, BLOCK);
  const sums = new Float64Array(memory.buffer, 2 * BLOCK_BYTES, 4);
  return (values) => {
    sums.fill(0);
    const whole = values.length - (values.length % 4);
    for (let at = 0; at < whole; at += BLOCK) {
      const stop = Math.min(whole, at + BLOCK);
      inside.set(values.subarray(at, stop));
      squares(4 * (stop - at));
    }
    let [first] = sums as unknown as [number];
    for (let at = whole; at < values.length; at += 1) first += (values[at] as number) ** 2;
    return Math.sqrt(first + (sums[1] as number) + (sums[2] as number) + (sums[3] as number));
  };
}

/** Adds the second array to the first, number by number; they are equally long. */
export function createSum(): (sum: Float32Array, change: Float32Array) => void {
  const { memory, add } = instantiate();
  const inside = (array: number): Float32Array => new Float32Array(memory.buffer, array * BLOCK_BYTES, BLOCK);
  const [total, added] = [inside(0), inside(1)];
  return (sum, change) => {
    for (let at = 0; at < sum.length; at += BLOCK) {
      const stop = Math.min(sum.length, at + BLOCK);
      total.set(sum.subarray(at, stop));
      added.set(change.subarray(at, stop));
      add(4 * (stop - at));
      sum.set(stop - at === BLOCK ? total : total.subarray(0, stop - at), at);
    }
  };
}

/** The same as a plain loop, in double precision: for small arrays, and what the module is held to. */
export const plainAdamKernel: AdamKernel = (arrays, start, end, factors, isTrial = false) => {
  const { parameters, gradients, first, second } = arrays;
  const { scale, firstShare, secondShare, keep, rate, correction, epsilon } = factors;
  const reach = { parameters: 0, first: 0, second: 0 };
  for (let at = start; at < end; at += 1) {
    const gradient = (gradients[at] as number) * scale;
    const [oldFirst, oldSecond] = [first[at] as number, second[at] as number];
    const moved = Math.fround(oldFirst + firstShare * (gradient - oldFirst));
    // Written so that NaN stays NaN.
    const nextFirst = Math.abs(moved) <= TINY ? 0 : moved;
    const nextSecond = Math.fround(oldSecond + secondShare * (gradient * gradient - oldSecond));
    const move = (rate * nextFirst) / (Math.sqrt(correction * nextSecond) + epsilon);
    const next = Math.fround((parameters[at] as number) * keep - move);
    reach.parameters = Math.max(reach.parameters, Math.abs(next));
    reach.first = Math.max(reach.first, Math.abs(nextFirst));
    reach.second = Math.max(reach.second, nextSecond);
    if (isTrial) continue;
    first[at] = nextFirst;
    second[at] = nextSecond;
    parameters[at] = next;
  }
  return reach;
};
