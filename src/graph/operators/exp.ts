/** Exponential. d(exp x) = exp(x) dx. */
import type { Operator } from "../operator.ts";
import { sameFloats } from "../shapes.ts";

export const exp: Operator = {
  infer: sameFloats,
  onnx: () => ({ type: "Exp" }),
  gradient: ({ outputs, gradients, ops }) => {
    const [result] = outputs;
    const [change] = gradients;
    if (result === undefined || change === undefined) return [];
    return [ops.mul(change, result)];
  },
  cases: [{ inputs: [{ shape: [2, 3], dtype: "float32" }] }],
};
