/**
 * Rotary positions, as one fused operator of the runtime. Each head of `value`, [rows, width, heads * size] or [rows, heads, width, size],
 * is turned by the angles of its position, first half against second half; the tables are [positions, size / 2]:
 *
 *   y1 = x1 cos - x2 sin,   y2 = x2 cos + x1 sin
 *
 * A rotation's gradient is the rotation back: the same with the sine negated.
 */
import { over } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { floats, indices } from "../shapes.ts";
import { sameShape } from "../tensor.ts";

const TABLE = { shape: [5, 2], dtype: "float32", fixed: true } as const;

export const rotary: Operator = {
  infer: ([value, positions, cosine, sine]) => {
    if (value?.dtype !== "float32" || (value.shape.length !== 3 && value.shape.length !== 4))
      return "the value must be float32 with three or four axes";
    const [rows, second, third] = value.shape as [number, number, number];
    if (positions?.dtype !== "int64" || !sameShape(positions.shape, [rows, value.shape.length === 3 ? second : third]))
      return "the positions must be int64, one for each place of each row";
    if (cosine?.dtype !== "float32" || cosine.shape.length !== 2 || !sameShape(cosine.shape, sine?.shape ?? []))
      return "the tables must be float32 matrices of one shape";
    const size = (cosine.shape[1] as number) * 2;
    const last = value.shape.at(-1) as number;
    if (value.shape.length === 4 && last !== size) return `the last axis must hold one head of ${size}`;
    return last % size === 0 ? [value] : `the last axis must hold whole heads of ${size}`;
  },
  onnx: () => ({ type: "RotaryEmbedding", domain: "com.microsoft", attributes: { interleaved: 0 } }),
  gradient: over(({ inputs: [, positions, cosine, sine], change, ops }) => [
    ops.rotary(change, positions, cosine, ops.neg(sine)),
  ]),
  cases: [
    [2, 3, 8],
    [2, 2, 3, 4],
  ].map((shape) => ({
    inputs: [...floats(shape), ...indices([2, 3], 5), TABLE, TABLE],
  })),
};
