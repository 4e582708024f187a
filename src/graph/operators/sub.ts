/** Difference, with broadcasting. d(a - b) = da - db. */
import type { Operator } from "../operator.ts";
import { broadcastCases, broadcastFloats } from "../shapes.ts";

export const sub: Operator = {
  infer: broadcastFloats,
  onnx: () => ({ type: "Sub" }),
  gradient: ({ inputs, gradients, ops }) => {
    const [left, right] = inputs;
    const [change] = gradients;
    if (left === undefined || right === undefined || change === undefined) return [];
    return [ops.sumTo(change, left.shape), ops.sumTo(ops.neg(change), right.shape)];
  },
  cases: broadcastCases(),
};
