/** Adds elements into a tensor by index along an axis. The gradient of the elements is gathered. */
import type { Operator } from "../operator.ts";
import { axisOf, withSize } from "../shapes.ts";
import { sameShape } from "../tensor.ts";

export const scatterElements: Operator = {
  infer: ([value, indices, updates], attributes) => {
    if (value?.dtype !== "float32" || updates?.dtype !== "float32") return "value and updates must be float32";
    if (indices?.dtype !== "int64" || !sameShape(indices.shape, updates.shape))
      return "indices (int64) and updates must have one shape";
    const axis = axisOf(attributes, value.shape.length);
    if (typeof axis === "string") return axis;
    const alike = sameShape(withSize(value.shape, axis, 0), withSize(indices.shape, axis, 0));
    return alike ? [{ shape: value.shape, dtype: "float32" }] : `apart from axis ${axis} both shapes must be equal`;
  },
  onnx: ({ attributes }) => ({ type: "ScatterElements", attributes: { ...attributes, reduction: "add" } }),
  gradient: ({ node, inputs, gradients, ops }) => {
    const [, indices] = inputs;
    const [change] = gradients;
    if (indices === undefined || change === undefined) return [];
    return [change, undefined, ops.gatherElements(change, indices, Number(node.attributes["axis"]))];
  },
  cases: [
    {
      inputs: [
        { shape: [2, 4], dtype: "float32" },
        { shape: [2, 3], dtype: "int64", range: [0, 4] },
        { shape: [2, 3], dtype: "float32" },
      ],
      attributes: { axis: 1 },
    },
  ],
};
