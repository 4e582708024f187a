/** Square root. d(sqrt x) = dx / (2 sqrt x). */
import type { Operator } from "../operator.ts";
import { sameFloats } from "../shapes.ts";

export const sqrt: Operator = {
  infer: sameFloats,
  onnx: () => ({ type: "Sqrt" }),
  gradient: ({ outputs, gradients, ops }) => {
    const [result] = outputs;
    const [change] = gradients;
    if (result === undefined || change === undefined) return [];
    return [ops.div(change, ops.add(result, result))];
  },
  cases: [{ inputs: [{ shape: [2, 3], dtype: "float32", range: [0.5, 2] }] }],
};
