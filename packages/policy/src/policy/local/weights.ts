/**
 * All parameters in one flat array, with a view per name. One array means one optimiser step over everything, one copy to
 * save, and views that the runtime reads without copying. Matrices come first, vectors last: weight decay is for matrices.
 */
import type { EngineErrorCode } from "limbeck-base/base/error-codes";
import { EngineError } from "limbeck-base/base/errors";
import type { Rng } from "limbeck-base/base/rng";
import { formOf, parameterShapes, type ModelConfig } from "./model-config.ts";

/** What any code may ask of matrices that never learn; code that computes with them knows more (`quantised/frozen-parts.ts`). */
export interface FrozenMatrices {
  readonly bits: 4 | 8;
  /** The embeddings of tokens, one row each. */
  embed(ids: ArrayLike<number | bigint>): Float32Array;
}

export interface Weights {
  readonly flat: Float32Array;
  /** Parameters before this place are matrices. */
  readonly matrices: number;
  readonly views: Readonly<Record<string, Float32Array>>;
  /** Where each parameter lies. */
  readonly places: ReadonlyMap<string, { readonly start: number; readonly shape: readonly number[] }>;
  /** Matrices that never learn, in few bits. They have no view and no place. */
  readonly frozen?: FrozenMatrices;
}

/** Zeros of the right shapes; `extra` adds heads that are not part of the model's form. */
export function createWeights(config: ModelConfig, extra: ReadonlyMap<string, readonly number[]> = new Map()): Weights {
  return layOut([...parameterShapes(config), ...extra]);
}

/** Zeros for what a model keeps in float32 while its matrices are frozen. */
export function createSmallWeights(
  config: ModelConfig,
  extra: ReadonlyMap<string, readonly number[]>,
  frozen: FrozenMatrices,
): Weights {
  const small = [...parameterShapes(config)].filter(([, shape]) => shape.length < 2);
  return { ...layOut([...small, ...extra]), frozen };
}

/** Zeros for named shapes. */
export function layOut(shapes: readonly (readonly [string, readonly number[]])[]): Weights {
  const ordered = [
    ...shapes.filter(([, shape]) => shape.length > 1),
    ...shapes.filter(([, shape]) => shape.length <= 1),
  ];
  const places = new Map<string, { readonly start: number; readonly shape: readonly number[] }>();
  let size = 0;
  let matrices = 0;
  for (const [name, shape] of ordered) {
    places.set(name, { start: size, shape });
    size += shape.reduce((product, side) => product * side, 1);
    if (shape.length > 1) matrices = size;
  }
  const flat = new Float32Array(size);
  return { flat, matrices, places, views: viewsOf(flat, places) };
}

/**
 * The same numbers in an array of their own.
 *
 * @example
 * import { bundledModel } from "limbeck/local";
 *
 * const model = await openModel(bundledModel("countdown"));
 * const start = model.scorerWith(copyWeights(model.weights));
 * const [row] = await start.score([{ ids: Int32Array.of(1, 2, 3) }]);
 * console.log(row?.logprob?.length); // 3
 * await model.close();
 */
export function copyWeights(weights: Weights): Weights {
  const flat = weights.flat.slice();
  return { ...weights, flat, views: viewsOf(flat, weights.places) };
}

/** Views of another flat array (gradients, moments) that is laid out like the weights. */
export function viewsOf(flat: Float32Array, places: Weights["places"]): Record<string, Float32Array> {
  const entries = [...places].map(([name, { start, shape }]) => {
    const size = shape.reduce((product, side) => product * side, 1);
    return [name, flat.subarray(start, start + size)] as const;
  });
  return Object.fromEntries(entries);
}

/** Normal with deviation 0.02 for matrices, halved per root of depth for what writes to the stream; norms multiply by one. */
export function initialise(weights: Weights, config: ModelConfig, rng: Rng): void {
  for (const [name, { shape }] of weights.places) {
    const view = weights.views[name] as Float32Array;
    if (shape.length <= 1) view.fill(name.endsWith("bias") ? 0 : 1 - formOf(config).normOffset);
    else {
      const writes = name.endsWith("o_proj.weight") || name.endsWith("down_proj.weight");
      const deviation = writes ? 0.02 / Math.sqrt(2 * config.layers) : 0.02;
      const source = rng.split(name);
      for (let at = 0; at < view.length; at += 1) view[at] = source.normal() * deviation;
    }
  }
}

/** The first number that is not finite, by its parameter and place; undefined where all are. */
export function oddPlace(views: Weights["views"]): string | undefined {
  for (const [name, view] of Object.entries(views)) {
    // A finite number less itself is 0, any other is not. A sum without a branch: models have thousands of millions of numbers.
    let sum = 0;
    for (let at = 0; at < view.length; at += 1) {
      const value = view[at] as number;
      sum += value - value;
    }
    if (sum === 0) continue;
    const at = view.findIndex((value) => !Number.isFinite(value));
    if (at >= 0) return `parameter "${name}" holds ${view[at]} at place ${at}`;
  }
  return undefined;
}

/** Throws when a parameter holds a value that is not finite, naming it and the place. */
export function checkFinite({ views }: Weights, where: string, code: EngineErrorCode = "weights-not-finite"): void {
  const odd = oddPlace(views);
  if (odd !== undefined) throw new EngineError(code, `${where}: ${odd}; every weight must be finite.`);
}

/** What needs every weight as a number of its own cannot be done with quantised ones. */
export function refuseQuantised({ frozen }: Weights, what: string, instead: string): void {
  if (frozen === undefined) return;
  throw new EngineError("needs-unmet", `${what}: the model's weights are quantised (int${frozen.bits}). ${instead}`);
}

/** The embedding of a token: a row of the matrix itself, not a copy. */
export function tokenVector(
  { vocabularySize, hiddenSize }: ModelConfig,
  { views, frozen }: Weights,
  id: number,
): Float32Array {
  if (Number.isInteger(id) && id >= 0 && id < vocabularySize) {
    if (frozen !== undefined) return frozen.embed([id]);
    return (views["model.embed_tokens.weight"] as Float32Array).subarray(id * hiddenSize, (id + 1) * hiddenSize);
  }
  throw new EngineError(
    "bad-option",
    `There is no token ${id}; allowed: a whole number from 0 to ${vocabularySize - 1}.`,
  );
}
