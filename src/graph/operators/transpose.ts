/** Reorders the axes. The gradient is reordered back. */
import { overOne } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { floats, listOf } from "../shapes.ts";

export const transpose: Operator = {
  infer: ([value], attributes) => {
    if (value === undefined) return "there is no value";
    const order = listOf(attributes, "perm");
    const sorted = [...order].sort((left, right) => left - right);
    if (sorted.length !== value.shape.length || sorted.some((axis, at) => axis !== at)) {
      return `the order [${order.join(", ")}] does not name every axis once`;
    }
    return [{ shape: order.map((axis) => value.shape[axis] as number), dtype: value.dtype }];
  },
  onnx: ({ attributes }) => ({ type: "Transpose", attributes }),
  gradient: overOne(({ node, change, ops }) => {
    const order = listOf(node.attributes, "perm");
    const back = order.map((_, axis) => order.indexOf(axis));
    return [ops.transpose(change, back)];
  }),
  cases: [
    { inputs: floats([2, 3]), attributes: { perm: [1, 0] } },
    { inputs: floats([2, 3, 4]), attributes: { perm: [2, 0, 1] } },
  ],
};
