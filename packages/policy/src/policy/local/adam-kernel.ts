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
 * On the way it notes the largest numbers that came out, so that the caller of a step knows what it made of the weights.
 */

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
 * The root of the sum of all squares, in double precision. Four sums at once, or each addition would wait for the last. In whole
 * updates the module's vectors won 1 to 2 of 100 here, so it is a plain loop.
 */
export function normOf(values: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const whole = values.length - (values.length % 4);
  for (let at = 0; at < whole; at += 4) {
    first += (values[at] as number) ** 2;
    second += (values[at + 1] as number) ** 2;
    third += (values[at + 2] as number) ** 2;
    fourth += (values[at + 3] as number) ** 2;
  }
  for (let at = whole; at < values.length; at += 1) first += (values[at] as number) ** 2;
  return Math.sqrt(first + second + third + fourth);
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

// The WebAssembly module behind `adam-kernel.ts`, written as bytes: it has vectors of four numbers, which JavaScript lacks.
// Its memory holds a block of each array, one behind the other, and after them what is added up over blocks.

/** Numbers of each array that are copied in at a time. */
const BLOCK = 8_192;
const BLOCK_BYTES = 4 * BLOCK;
const TINY = 1e-30;

type Update = (bytes: number, ...factors: number[]) => void;

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Leaves the largest of what it wrote, and of what stood there, behind the arrays: four parameters, first and second moments. */
  readonly update: Update;
  /** Adds that many bytes of the second array to the first. */
  readonly add: (bytes: number) => void;
}

/** The part of the global that is used; the library of ES2023 does not declare it. */
interface WebAssemblyGlobal {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
}

function instantiate(): Exports {
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyGlobal }).WebAssembly;
  return new Instance(new Module(moduleBytes())).exports;
}

/** Codes of the binary format: WebAssembly core specification 2.0, chapter 5. */
const I32 = 0x7f;
const F32 = 0x7d;
const V128 = 0x7b;
const SPLAT = vector(0x13);
const GREATER = vector(0x44);
const AND = vector(0x4e);
const ABS = vector(0xe0);
const SQRT = vector(0xe3);
const ADD = vector(0xe4);
const SUB = vector(0xe5);
const MUL = vector(0xe6);
const DIV = vector(0xe7);
/** Of whole numbers without a sign: the bits of magnitudes are in their order, with NaN above all. One of floats takes four times as long. */
const MAX = vector(0xb9);
const END = 0x0b;

function moduleBytes(): Uint8Array {
  // The arrays, and a page for the largest numbers.
  const pages = (4 * BLOCK_BYTES) / 65_536 + 1;
  const updateType = [0x60, ...sized([I32, F32, F32, F32, F32, F32, F32, F32]), 0];
  const bytesType = [0x60, ...sized([I32]), 0];
  const exported = [
    [...name("memory"), 2, 0],
    [...name("update"), 0, 0],
    [...name("add"), 0, 1],
  ];
  return Uint8Array.from(
    [
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, list([updateType, bytesType])),
      section(3, list([[0], [1]])),
      section(5, list([[0, pages]])),
      section(7, list(exported)),
      section(10, list([sized(updateBody()), sized(addBody())])),
    ].flat(),
  );
}

/** Locals: 0 bytes; 1 to 7 the factors; 8 the place; 9 to 15 the factors as vectors; 16 tiny; 17 g, 18 m, 19 v; 20 p; 21 to 23 the largest. */
function updateBody(): number[] {
  const place = 8;
  const factor = (at: number): number[] => get(9 + at);
  const [tiny, gradient, first, second, parameter] = [16, 17, 18, 19, 20] as const;
  const largest = [21, 22, 23] as const;
  const raised = (at: 0 | 1 | 2, value: number): number[] => [
    ...get(largest[at]),
    ...get(value),
    ...ABS,
    ...MAX,
    ...set(largest[at]),
  ];
  const [scale, firstShare, secondShare, keep] = [factor(0), factor(1), factor(2), factor(3)] as const;
  const [rate, correction, epsilon] = [factor(4), factor(5), factor(6)] as const;
  return [
    list([
      [1, I32],
      [15, V128],
    ]),
    ...[0, 1, 2, 3, 4, 5, 6].map((at) => [...get(1 + at), ...SPLAT, ...set(9 + at)]),
    [0x43, ...new Uint8Array(Float32Array.of(TINY).buffer), ...SPLAT, ...set(tiny)],
    // The place is zero here: the largest lie at the start of their page.
    largest.map((local, at) => [...load(place, 4, 16 * at), ...set(local)]).flat(),
    [0x03, 0x40],
    [...load(place, 1), ...scale, ...MUL, ...set(gradient)],
    [...load(place, 2), ...set(first)],
    [...get(first), ...firstShare, ...get(gradient), ...get(first), ...SUB, ...MUL, ...ADD, ...set(first)],
    [...get(first), ...get(first), ...ABS, ...get(tiny), ...GREATER, ...AND, ...set(first)],
    [...load(place, 3), ...set(second)],
    [...get(second), ...secondShare, ...get(gradient), ...get(gradient), ...MUL, ...get(second), ...SUB],
    [...MUL, ...ADD, ...set(second)],
    store(place, 2, get(first)),
    store(place, 3, get(second)),
    [...load(place, 0), ...keep, ...MUL, ...rate, ...get(first), ...MUL],
    [...get(second), ...correction, ...MUL, ...SQRT, ...epsilon, ...ADD, ...DIV, ...SUB, ...set(parameter)],
    store(place, 0, get(parameter)),
    [...raised(0, parameter), ...raised(1, first), ...raised(2, second)],
    goOn(place),
    [END],
    [0x41, 0, ...set(place)],
    largest.map((local, at) => store(place, 4, get(local), 16 * at)).flat(),
    [END],
  ].flat();
}

/** Locals: 0 bytes; 1 the place. */
function addBody(): number[] {
  const place = 1;
  return [
    list([[1, I32]]),
    [0x03, 0x40],
    store(place, 0, [...load(place, 0), ...load(place, 1), ...ADD]),
    goOn(place),
    [END, END],
  ].flat();
}

/** The place moves on by one vector, and the loop goes on while it is before the end. */
function goOn(place: number): number[] {
  return [...get(place), 0x41, 16, 0x6a, 0x22, place, ...get(0), 0x49, 0x0d, 0];
}

function vector(code: number): number[] {
  return [0xfd, ...leb(code)];
}

function get(local: number): number[] {
  return [0x20, local];
}

function set(local: number): number[] {
  return [0x21, local];
}

/** A vector of the array of that number, so many bytes behind the place. */
function load(place: number, array: number, behind = 0): number[] {
  return [...get(place), 0xfd, 0x00, 4, ...leb(array * BLOCK_BYTES + behind)];
}

function store(place: number, array: number, value: readonly number[], behind = 0): number[] {
  return [...get(place), ...value, 0xfd, 0x0b, 4, ...leb(array * BLOCK_BYTES + behind)];
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)];
}

function sized(content: readonly number[]): number[] {
  return [...leb(content.length), ...content];
}

function list(items: readonly (readonly number[])[]): number[] {
  return [...leb(items.length), ...items.flat()];
}

function name(text: string): number[] {
  return sized([...Buffer.from(text)]);
}

/** An unsigned number in the format's variable length. */
function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >> 7)];
}
