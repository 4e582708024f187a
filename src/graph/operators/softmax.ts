/** exp(x_i) / sum_j exp(x_j) along an axis. With y the result: grad x = y (g - sum(g y)). */
import type { Operator } from "../operator.ts";
import { axisOf, sameFloats } from "../shapes.ts";

export const softmax: Operator = {
  infer: (inputs, attributes) => {
    const axis = axisOf(attributes, inputs[0]?.shape.length ?? 0);
    return typeof axis === "string" ? axis : sameFloats(inputs);
  },
  onnx: ({ attributes }) => ({ type: "Softmax", attributes }),
  gradient: ({ node, outputs, gradients, ops }) => {
    const [result] = outputs;
    const [change] = gradients;
    if (result === undefined || change === undefined) return [];
    const weighted = ops.mul(change, result);
    const total = ops.reduceSum(weighted, [Number(node.attributes["axis"])]);
    return [ops.sub(weighted, ops.mul(result, total))];
  },
  cases: [
    { inputs: [{ shape: [2, 4], dtype: "float32" }], attributes: { axis: 1 } },
    { inputs: [{ shape: [2, 3, 2], dtype: "float32" }], attributes: { axis: 1 } },
  ],
};
