/**
 * Low-rank adapters: W x becomes W x + (alpha / rank) B A x, and only A and B learn.
 *
 * Paper: LoRA, arXiv 2106.09685, section 4.1. A starts uniform within 1 / sqrt(in), as PEFT does it; B starts at zero,
 * so that a fresh adapter changes nothing.
 */
import { createRng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { MATRIX_NAMES } from "./forms.ts";
import { headShapes, type HeadName } from "./heads.ts";
import { matrixShapes, parameterShapes, type LoraShape, type LoraTarget, type ModelConfig } from "./model-config.ts";
import { layOut, refuseQuantised, type Weights } from "./weights.ts";

/** What learns when a model is adapted: the low-rank matrices, and heads where there are some. */
export interface Adapter {
  readonly lora: LoraShape;
  readonly weights: Weights;
}

export interface AdapterOptions {
  readonly rank: number;
  /** Default: twice the rank. */
  readonly alpha?: number;
  /** Default: every matrix of attention and feed-forward. Where a form holds several as one, that one is adapted. */
  readonly targets?: readonly LoraTarget[];
  readonly seed?: number | string;
  /** Scalar heads that learn with the adapter. */
  readonly heads?: readonly HeadName[];
}

/** What is adapted by default. */
export const LORA_TARGETS: readonly LoraTarget[] = [
  "q_proj",
  "k_proj",
  "v_proj",
  "o_proj",
  "gate_proj",
  "up_proj",
  "down_proj",
];

/** The matrix that holds another one in forms that join them. */
const JOINED: Partial<Record<LoraTarget, LoraTarget>> = {
  q_proj: "qkv_proj",
  k_proj: "qkv_proj",
  v_proj: "qkv_proj",
  gate_proj: "gate_up_proj",
  up_proj: "gate_up_proj",
};

/** The model's own matrices among those named, or the ones that hold them. */
function ownTargets(config: ModelConfig, targets: readonly LoraTarget[]): LoraTarget[] {
  const own = matrixShapes(config);
  const meant = targets.map((target) => (own.has(target) ? target : JOINED[target]));
  return [...own.keys()].filter((name) => meant.includes(name));
}

/** The names of A and B for a matrix. */
export function loraNames(matrix: string): [down: string, up: string] {
  const stem = matrix.slice(0, -".weight".length);
  return [`${stem}.lora_A.weight`, `${stem}.lora_B.weight`];
}

/** Every adapter parameter with its shape. */
export function loraShapes(config: ModelConfig, lora: LoraShape): Map<string, readonly number[]> {
  const shapes = new Map<string, readonly number[]>();
  for (const [name, [out, into]] of targetsOf(config, lora)) {
    const [down, up] = loraNames(name);
    shapes.set(down, [lora.rank, into]);
    shapes.set(up, [out, lora.rank]);
  }
  return shapes;
}

/**
 * A fresh adapter, which changes nothing yet.
 *
 * @example
 * import { bundledModel } from "limbeck/local";
 *
 * const model = await openModel(bundledModel("countdown"), {
 *   adapter: (config) => createAdapter(config, { rank: 2, targets: ["q_proj"] }),
 * });
 * console.log(model.adapter?.weights.flat.length); // 2048
 * await model.close();
 */
export function createAdapter(config: ModelConfig, options: AdapterOptions): Adapter {
  const { rank, alpha = 2 * rank, targets = LORA_TARGETS, seed = 0, heads = [] } = options;
  const lora = { ...checkLora({ rank, alpha, targets }), targets: ownTargets(config, targets) };
  if (lora.targets.length === 0) {
    const own = [...matrixShapes(config).keys()].join(", ");
    const asked = targets.join(", ");
    throw new EngineError("bad-option", `The adapter's targets are ${asked}; a model of this form has ${own}.`);
  }
  const weights = layOut([...loraShapes(config, lora), ...headShapes(config, heads)]);
  const rng = createRng(seed).split("adapter");
  for (const [name, { shape }] of weights.places) {
    if (!name.endsWith(".lora_A.weight")) continue;
    const bound = 1 / Math.sqrt(shape[1] as number);
    const source = rng.split(name);
    const view = weights.views[name] as Float32Array;
    for (let at = 0; at < view.length; at += 1) view[at] = (2 * source.float() - 1) * bound;
  }
  return { lora, weights };
}

/**
 * Adds the adapter's part to the weights: afterwards the plain model computes what the adapted one did.
 *
 * @example
 * import { bundledModel, createAdapter } from "limbeck/local";
 *
 * const { config, weights, close } = await openModel(bundledModel("countdown"));
 * const adapter = createAdapter(config, { rank: 2, targets: ["q_proj"] });
 * adapter.weights.flat.fill(0.1);
 * const before = Float32Array.from(weights.flat);
 * mergeAdapter(config, weights, adapter);
 * console.log(weights.flat.every((value, at) => value === before[at])); // false
 * await close();
 */
export function mergeAdapter(config: ModelConfig, weights: Weights, adapter: Adapter): void {
  checkAdapter(config, adapter);
  refuseQuantised(weights, "The adapter is not merged", 'Open the model with weights "float32" and merge it there.');
  const { rank, alpha } = adapter.lora;
  const line = new Float64Array(Math.max(config.hiddenSize, config.intermediateSize, config.heads * config.headSize));
  for (const [name, [out, into]] of targetsOf(config, adapter.lora)) {
    const [down, up] = loraNames(name).map((part) => adapter.weights.views[part]) as [Float32Array, Float32Array];
    const matrix = weights.views[name] as Float32Array;
    for (let row = 0; row < out; row += 1) {
      line.fill(0);
      for (let at = 0; at < rank; at += 1) {
        const scale = ((up[row * rank + at] as number) * alpha) / rank;
        for (let column = 0; column < into; column += 1) {
          line[column] = (line[column] as number) + scale * (down[at * into + column] as number);
        }
      }
      for (let column = 0; column < into; column += 1) {
        matrix[row * into + column] = (matrix[row * into + column] as number) + (line[column] as number);
      }
    }
  }
}

/** Refuses an adapter that was made for another model. */
export function checkAdapter(config: ModelConfig, adapter: Adapter): void {
  checkLora(adapter.lora);
  const wanted = loraShapes(config, adapter.lora);
  for (const [name, shape] of wanted) {
    const found = adapter.weights.places.get(name)?.shape;
    if (found?.join() === shape.join()) continue;
    const has = found === undefined ? "is missing" : `is [${found.join(", ")}]`;
    throw new EngineError(
      "adapter-misfit",
      `The adapter does not fit the model: "${name}" ${has}; it must be [${shape.join(", ")}].`,
    );
  }
  const foreign = [...adapter.weights.places.keys()].find((name) => name.includes(".lora_") && !wanted.has(name));
  if (foreign === undefined) return;
  throw new EngineError("adapter-misfit", `The adapter does not fit the model, which has no place for "${foreign}".`);
}

function checkLora(lora: LoraShape): LoraShape {
  const { rank, alpha, targets } = lora;
  if (!(Number.isSafeInteger(rank) && rank >= 1)) {
    throw new EngineError("bad-option", `The adapter's rank is ${rank}; it must be a whole number of at least 1.`);
  }
  if (!(Number.isFinite(alpha) && alpha > 0)) {
    throw new EngineError("bad-option", `The adapter's alpha is ${alpha}; it must be a number above 0.`);
  }
  const odd = targets.find((target) => !MATRIX_NAMES.includes(target));
  if (targets.length > 0 && odd === undefined) return lora;
  const given = odd === undefined ? "empty" : `"${odd}"`;
  throw new EngineError(
    "bad-option",
    `The adapter's targets are ${given}; allowed are one or more of ${MATRIX_NAMES.join(", ")}.`,
  );
}

/** The matrices that are adapted, with their shapes [out, in]. */
function targetsOf(config: ModelConfig, lora: LoraShape): (readonly [string, readonly [number, number]])[] {
  const targets = ownTargets(config, lora.targets);
  return [...parameterShapes(config)].flatMap(([name, shape]) => {
    const adapted = targets.some((target) => name.endsWith(`.${target}.weight`));
    return adapted ? [[name, shape as readonly [number, number]] as const] : [];
  });
}
