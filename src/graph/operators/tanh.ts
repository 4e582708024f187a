/** Hyperbolic tangent. With t = tanh x: dt = (1 - t^2) dx. */
import type { Operator } from "../operator.ts";
import { sameFloats } from "../shapes.ts";

export const tanh: Operator = {
  infer: sameFloats,
  onnx: () => ({ type: "Tanh" }),
  gradient: ({ outputs, gradients, ops }) => {
    const [result] = outputs;
    const [change] = gradients;
    if (result === undefined || change === undefined) return [];
    return [ops.sub(change, ops.mul(change, ops.mul(result, result)))];
  },
  cases: [{ inputs: [{ shape: [2, 3], dtype: "float32" }] }],
};
