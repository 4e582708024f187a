/** Reciprocal. d(1 / x) = -dx / x^2. */
import type { Operator } from "../operator.ts";
import { sameFloats } from "../shapes.ts";

export const reciprocal: Operator = {
  infer: sameFloats,
  onnx: () => ({ type: "Reciprocal" }),
  gradient: ({ outputs, gradients, ops }) => {
    const [result] = outputs;
    const [change] = gradients;
    if (result === undefined || change === undefined) return [];
    return [ops.neg(ops.mul(change, ops.mul(result, result)))];
  },
  cases: [{ inputs: [{ shape: [2, 3], dtype: "float32", range: [0.5, 2] }] }],
};
