/** The same elements in another shape. */
import { overOne } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { floats, listOf } from "../shapes.ts";
import { elementCount } from "../tensor.ts";

export const reshape: Operator = {
  infer: ([value], attributes) => {
    const shape = listOf(attributes, "shape");
    if (value === undefined) return "there is no value";
    if (elementCount(shape) !== elementCount(value.shape)) {
      return `${elementCount(value.shape)} elements do not fill the shape [${shape.join(", ")}]`;
    }
    return [{ shape, dtype: value.dtype }];
  },
  onnx: ({ attributes }) => ({ type: "Reshape", extra: [listOf(attributes, "shape")] }),
  gradient: overOne(({ change, value, ops }) => [ops.reshape(change, value.shape)]),
  cases: [{ inputs: floats([2, 6]), attributes: { shape: [3, 4] } }],
};
