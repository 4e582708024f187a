/** Quotient, with broadcasting. d(a / b) = da / b - (a / b) db / b. */
import type { Operator } from "../operator.ts";
import { broadcastCases, broadcastFloats } from "../shapes.ts";

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
  cases: broadcastCases([0.5, 2]),
};
