/** Sum, with broadcasting. d(a + b) = da + db. */
import type { Operator } from "../operator.ts";
import { broadcastCases, broadcastFloats } from "../shapes.ts";

export const add: Operator = {
  infer: broadcastFloats,
  onnx: () => ({ type: "Add" }),
  gradient: ({ inputs, gradients, ops }) => {
    const [left, right] = inputs;
    const [change] = gradients;
    if (left === undefined || right === undefined || change === undefined) return [];
    return [ops.sumTo(change, left.shape), ops.sumTo(change, right.shape)];
  },
  cases: broadcastCases(),
};
