/** Product, with broadcasting. d(a b) = b da + a db. */
import type { Operator } from "../operator.ts";
import { broadcastCases, broadcastFloats } from "../shapes.ts";

export const mul: Operator = {
  infer: broadcastFloats,
  onnx: () => ({ type: "Mul" }),
  gradient: ({ inputs, gradients, ops }) => {
    const [left, right] = inputs;
    const [change] = gradients;
    if (left === undefined || right === undefined || change === undefined) return [];
    return [ops.sumTo(ops.mul(change, right), left.shape), ops.sumTo(ops.mul(change, left), right.shape)];
  },
  cases: broadcastCases(),
};
