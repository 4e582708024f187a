/** Broadcasts to a larger shape. The gradient is summed over what was stretched. */
import { overOne } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { broadcast, floats, listOf } from "../shapes.ts";
import { sameShape } from "../tensor.ts";

export const expand: Operator = {
  infer: ([value], attributes) => {
    const shape = listOf(attributes, "shape");
    if (value === undefined) return "there is no value";
    const result = broadcast(value.shape, shape);
    if (typeof result === "string") return result;
    return sameShape(result, shape) ? [{ shape, dtype: value.dtype }] : `it does not fit into [${shape.join(", ")}]`;
  },
  onnx: ({ attributes }) => ({ type: "Expand", extra: [listOf(attributes, "shape")] }),
  gradient: overOne(({ change, value, ops }) => [ops.sumTo(change, value.shape)]),
  cases: [
    { inputs: floats([2, 1]), attributes: { shape: [2, 3] } },
    { inputs: floats([]), attributes: { shape: [2, 2] } },
  ],
};
