/** Largest value over axes, which stay as ones. For numerical shifts only: it has no gradient rule. */
import type { Operator } from "../operator.ts";
import { listOf, reduced } from "../shapes.ts";

export const reduceMax: Operator = {
  infer: reduced,
  onnx: ({ attributes }) => ({ type: "ReduceMax", attributes: { keepdims: 1 }, extra: [listOf(attributes, "axes")] }),
  cases: [
    { inputs: [{ shape: [2, 3], dtype: "float32" }], attributes: { axes: [1] } },
    { inputs: [{ shape: [2, 3, 2], dtype: "float32" }], attributes: { axes: [0, 2] } },
  ],
};
