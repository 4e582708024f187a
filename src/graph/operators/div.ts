/** Quotient, with broadcasting. d(a / b) = da / b - (a / b) db / b. */
import type { Operator } from "../operator.ts";
import { broadcastFloats } from "../shapes.ts";

export const div: Operator = {
  infer: broadcastFloats,
  onnx: () => ({ type: "Div" }),
  gradient: ({ inputs, outputs, gradients, ops }) => {
    const [left, right] = inputs;
    const [result] = outputs;
    const [change] = gradients;
    if (left === undefined || right === undefined || result === undefined || change === undefined) return [];
    return [
      ops.sumTo(ops.div(change, right), left.shape),
      ops.sumTo(ops.neg(ops.mul(change, ops.div(result, right))), right.shape),
    ];
  },
  cases: [
    {
      inputs: [
        { shape: [2, 3], dtype: "float32" },
        { shape: [2, 3], dtype: "float32", range: [0.5, 2] as const },
      ],
    },
    {
      inputs: [
        { shape: [2, 3], dtype: "float32" },
        { shape: [3], dtype: "float32", range: [0.5, 2] as const },
      ],
    },
    {
      inputs: [
        { shape: [2, 1, 3], dtype: "float32" },
        { shape: [4, 1], dtype: "float32", range: [0.5, 2] as const },
      ],
    },
  ],
};
