/** x_i - log sum_j exp(x_j) along an axis. With y the result: grad x = g - exp(y) sum(g). */
import type { Operator } from "../operator.ts";
import { axisOf, sameFloats } from "../shapes.ts";

export const logSoftmax: Operator = {
  infer: (inputs, attributes) => {
    const axis = axisOf(attributes, inputs[0]?.shape.length ?? 0);
    return typeof axis === "string" ? axis : sameFloats(inputs);
  },
  onnx: ({ attributes }) => ({ type: "LogSoftmax", attributes }),
  gradient: ({ node, outputs, gradients, ops }) => {
    const [result] = outputs;
    const [change] = gradients;
    if (result === undefined || change === undefined) return [];
    const total = ops.reduceSum(change, [Number(node.attributes["axis"])]);
    return [ops.sub(change, ops.mul(ops.exp(result), total))];
  },
  cases: [{ inputs: [{ shape: [2, 4], dtype: "float32" }], attributes: { axis: 1 } }],
};
