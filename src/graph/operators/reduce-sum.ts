/** Sum over axes, which stay as ones. The gradient is spread over what was summed. */
import type { Operator } from "../operator.ts";
import { listOf, reduced } from "../shapes.ts";

export const reduceSum: Operator = {
  infer: reduced,
  onnx: ({ attributes }) => ({ type: "ReduceSum", attributes: { keepdims: 1 }, extra: [listOf(attributes, "axes")] }),
  gradient: ({ inputs, gradients, ops }) => {
    const [value] = inputs;
    const [change] = gradients;
    if (value === undefined || change === undefined) return [];
    return [ops.expand(change, value.shape)];
  },
  cases: [
    { inputs: [{ shape: [2, 3], dtype: "float32" }], attributes: { axes: [1] } },
    { inputs: [{ shape: [2, 3, 2], dtype: "float32" }], attributes: { axes: [0, 2] } },
  ],
};
