/** The smaller of two values, with broadcasting. The gradient goes to the smaller, to the right one where they are equal. */
import type { Operator } from "../operator.ts";
import { broadcastFloats } from "../shapes.ts";
import { scalar } from "../tensor.ts";

export const min: Operator = {
  infer: broadcastFloats,
  onnx: () => ({ type: "Min" }),
  gradient: ({ inputs, gradients, ops }) => {
    const [left, right] = inputs;
    const [change] = gradients;
    if (left === undefined || right === undefined || change === undefined) return [];
    const first = ops.greater(right, left);
    return [
      ops.sumTo(ops.where(first, change, scalar(0)), left.shape),
      ops.sumTo(ops.where(first, scalar(0), change), right.shape),
    ];
  },
  cases: [
    {
      inputs: [
        { shape: [2, 3], dtype: "float32", range: [0, 1] },
        { shape: [2, 1], dtype: "float32", range: [2, 3] },
      ],
    },
    {
      inputs: [
        { shape: [2, 3], dtype: "float32", range: [2, 3] },
        { shape: [3], dtype: "float32", range: [0, 1] },
      ],
    },
  ],
};
