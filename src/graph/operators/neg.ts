/** Negation. d(-x) = -dx. */
import type { Operator } from "../operator.ts";
import { sameFloats } from "../shapes.ts";

export const neg: Operator = {
  infer: sameFloats,
  onnx: () => ({ type: "Neg" }),
  gradient: ({ gradients, ops }) => {
    const [change] = gradients;
    if (change === undefined) return [];
    return [ops.neg(change)];
  },
  cases: [{ inputs: [{ shape: [2, 3], dtype: "float32" }] }],
};
