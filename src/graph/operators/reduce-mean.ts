/** Mean over axes, which stay as ones. The gradient is spread evenly over what was averaged. */
import type { Operator } from "../operator.ts";
import { listOf, reduced } from "../shapes.ts";
import { elementCount, scalar } from "../tensor.ts";

export const reduceMean: Operator = {
  infer: reduced,
  onnx: ({ attributes }) => ({ type: "ReduceMean", attributes: { keepdims: 1 }, extra: [listOf(attributes, "axes")] }),
  gradient: ({ inputs, gradients, ops }) => {
    const [value] = inputs;
    const [change] = gradients;
    if (value === undefined || change === undefined) return [];
    return [ops.expand(ops.mul(change, scalar(elementCount(change.shape) / elementCount(value.shape))), value.shape)];
  },
  cases: [
    { inputs: [{ shape: [2, 3], dtype: "float32" }], attributes: { axes: [1] } },
    { inputs: [{ shape: [2, 3, 2], dtype: "float32" }], attributes: { axes: [0, 2] } },
  ],
};
