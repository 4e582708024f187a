/** Rotary positions: angles, their tables, and the rotation of heads. */
import { constant, ops, type Tensor } from "../../graph/index.ts";
import type { ModelConfig } from "./model-config.ts";

export interface Rotary {
  /** int64 [rows, width] */
  readonly positions: Tensor;
  /** float32 [positions, headSize / 2] */
  readonly cosine: Tensor;
  readonly sine: Tensor;
}

/** cos and sin of position * theta^(-2i/d) for positions from 0 on, one row of `headSize / 2` values each. */
export function rotaryValues(
  config: ModelConfig,
  positions: number,
): { readonly cosine: Float32Array; readonly sine: Float32Array } {
  const { headSize, ropeTheta } = config;
  const half = headSize / 2;
  const rates = Float64Array.from({ length: half }, (_, at) => ropeTheta ** (-(2 * at) / headSize));
  const angle = (place: number): number => Math.floor(place / half) * (rates[place % half] as number);
  return {
    cosine: Float32Array.from({ length: positions * half }, (_, place) => Math.cos(angle(place))),
    sine: Float32Array.from({ length: positions * half }, (_, place) => Math.sin(angle(place))),
  };
}

/** The tables as parts of a graph. */
export function rotaryTables(config: ModelConfig, positions: number): Pick<Rotary, "cosine" | "sine"> {
  const { cosine, sine } = rotaryValues(config, positions);
  const shape = [positions, config.headSize / 2];
  return { cosine: constant(cosine, shape), sine: constant(sine, shape) };
}

/** Turns every head of [rows, width, heads, headSize] by its position. */
export function rotate(value: Tensor, { positions, cosine, sine }: Rotary): Tensor {
  const [rows, width, heads, size] = value.shape as [number, number, number, number];
  const flat = ops.reshape(value, [rows, width, heads * size]);
  return ops.reshape(ops.rotary(flat, positions, cosine, sine), value.shape);
}
