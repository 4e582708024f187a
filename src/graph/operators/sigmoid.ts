/** Logistic function. With s = 1 / (1 + exp(-x)): ds = s (1 - s) dx = (s - s^2) dx. */
import type { Operator } from "../operator.ts";
import { sameFloats } from "../shapes.ts";

export const sigmoid: Operator = {
  infer: sameFloats,
  onnx: () => ({ type: "Sigmoid" }),
  gradient: ({ outputs, gradients, ops }) => {
    const [result] = outputs;
    const [change] = gradients;
    if (result === undefined || change === undefined) return [];
    return [ops.mul(change, ops.sub(result, ops.mul(result, result)))];
  },
  cases: [{ inputs: [{ shape: [2, 3], dtype: "float32" }] }],
};
