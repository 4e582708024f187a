/** Adds elements into a tensor by index along an axis. The gradient of the elements is gathered. */
import { over } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { axisOf, floats, indices, withSize } from "../shapes.ts";
import { sameShape } from "../tensor.ts";

export const scatterElements: Operator = {
  infer: ([value, places, updates], attributes) => {
    if (value?.dtype !== "float32" || updates?.dtype !== "float32") return "value and updates must be float32";
    if (places?.dtype !== "int64" || !sameShape(places.shape, updates.shape))
      return "indices (int64) and updates must have one shape";
    const axis = axisOf(attributes, value.shape.length);
    if (typeof axis === "string") return axis;
    const alike = sameShape(withSize(value.shape, axis, 0), withSize(places.shape, axis, 0));
    return alike ? [{ shape: value.shape, dtype: "float32" }] : `apart from axis ${axis} both shapes must be equal`;
  },
  onnx: ({ attributes }) => ({ type: "ScatterElements", attributes: { ...attributes, reduction: "add" } }),
  gradient: over(({ node, inputs: [, places], change, ops }) => [
    change,
    undefined,
    ops.gatherElements(change, places, Number(node.attributes["axis"])),
  ]),
  cases: [{ inputs: [...floats([2, 4]), ...indices([2, 3], 4), ...floats([2, 3])], attributes: { axis: 1 } }],
};
