/** Natural logarithm. d(log x) = dx / x. */
import type { Operator } from "../operator.ts";
import { sameFloats } from "../shapes.ts";

export const log: Operator = {
  infer: sameFloats,
  onnx: () => ({ type: "Log" }),
  gradient: ({ inputs, gradients, ops }) => {
    const [value] = inputs;
    const [change] = gradients;
    if (value === undefined || change === undefined) return [];
    return [ops.div(change, value)];
  },
  cases: [{ inputs: [{ shape: [2, 3], dtype: "float32", range: [0.5, 2] }] }],
};
