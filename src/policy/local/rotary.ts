/** Rotary positions: angles, their tables, and the rotation itself. */
import { ops, type Tensor } from "../../graph/index.ts";
import type { ModelConfig } from "./model-config.ts";

export interface Rotary {
  readonly cosine: Tensor;
  readonly sine: Tensor;
}

/**
 * cos and sin of position * theta^(-2i/d) for the given positions, one row of `headSize` values each: the first half
 * and the second half of a head turn by the same angles.
 */
export function rotaryValues(
  config: ModelConfig,
  positions: ArrayLike<number>,
): { readonly cosine: Float32Array; readonly sine: Float32Array } {
  const { headSize, ropeTheta } = config;
  const half = headSize / 2;
  const cosine = new Float32Array(positions.length * headSize);
  const sine = new Float32Array(positions.length * headSize);
  const rates = Float64Array.from({ length: half }, (_, at) => ropeTheta ** (-(2 * at) / headSize));
  for (let row = 0; row < positions.length; row += 1) {
    for (let at = 0; at < half; at += 1) {
      const angle = (positions[row] as number) * (rates[at] as number);
      const place = row * headSize + at;
      cosine[place] = cosine[place + half] = Math.cos(angle);
      sine[place] = sine[place + half] = Math.sin(angle);
    }
  }
  return { cosine, sine };
}

/** x cos + turned(x) sin, where turned(x) is (-second half, first half). */
export function rotate(value: Tensor, { cosine, sine }: Rotary): Tensor {
  const axis = value.shape.length - 1;
  const half = (value.shape[axis] as number) / 2;
  const [first, second] = ops.split(value, [half, half], axis) as [Tensor, Tensor];
  return ops.add(ops.mul(value, cosine), ops.mul(ops.concat([ops.neg(second), first], axis), sine));
}
