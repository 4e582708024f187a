/** Rotary positions: angles, their tables, and the rotation of heads. */
import { constant, ops, type Tensor } from "../../graph/index.ts";
import type { ModelConfig } from "./model-config.ts";

/** float32 [positions, headSize / 2] each */
export interface RotaryTables<Table> {
  readonly cosine: Table;
  readonly sine: Table;
  /** For queries, with the scale of attention's scores, 1 / sqrt(headSize), in them: it costs no pass of its own. */
  readonly queryCosine: Table;
  readonly querySine: Table;
}

export interface Rotary extends RotaryTables<Tensor> {
  /** int64 [rows, width] */
  readonly positions: Tensor;
}

/** cos and sin of position * theta^(-2i/d) for positions from 0 on, one row of `headSize / 2` values each. */
export function rotaryValues(config: ModelConfig, positions: number): RotaryTables<Float32Array> {
  const { headSize, ropeTheta } = config;
  const half = headSize / 2;
  const rates = Float64Array.from({ length: half }, (_, at) => ropeTheta ** (-(2 * at) / headSize));
  const angle = (place: number): number => Math.floor(place / half) * (rates[place % half] as number);
  const scale = headSize ** -0.5;
  const table = (value: (angle: number) => number): Float32Array =>
    Float32Array.from({ length: positions * half }, (_, place) => value(angle(place)));
  return {
    cosine: table(Math.cos),
    sine: table(Math.sin),
    queryCosine: table((turn) => scale * Math.cos(turn)),
    querySine: table((turn) => scale * Math.sin(turn)),
  };
}

/** The tables as parts of a graph. */
export function rotaryTables(config: ModelConfig, positions: number): RotaryTables<Tensor> {
  const values = rotaryValues(config, positions);
  const table = (name: keyof typeof values): Tensor => constant(values[name], [positions, config.headSize / 2]);
  return {
    cosine: table("cosine"),
    sine: table("sine"),
    queryCosine: table("queryCosine"),
    querySine: table("querySine"),
  };
}

/** Turns every head of [rows, width, heads, headSize] by its position. */
export function rotate(value: Tensor, { positions, cosine, sine }: Rotary): Tensor {
  const [rows, width, heads, size] = value.shape as [number, number, number, number];
  const flat = ops.reshape(value, [rows, width, heads * size]);
  return ops.reshape(ops.rotary(flat, positions, cosine, sine), value.shape);
}

/** The same for queries, which are scaled on the way. */
export function rotateQuery(value: Tensor, { positions, queryCosine, querySine }: Rotary): Tensor {
  return rotate(value, { positions, cosine: queryCosine, sine: querySine, queryCosine, querySine });
}
