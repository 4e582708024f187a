/** One element per index along an axis. The gradient is scattered back. */
import { overTwo } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { axisOf, floats, indices, withSize } from "../shapes.ts";
import { sameShape } from "../tensor.ts";

export const gatherElements: Operator = {
  infer: ([value, indices], attributes) => {
    if (value?.dtype !== "float32" || indices?.dtype !== "int64") return "the value must be float32, the indices int64";
    const axis = axisOf(attributes, value.shape.length);
    if (typeof axis === "string") return axis;
    const alike = sameShape(withSize(value.shape, axis, 0), withSize(indices.shape, axis, 0));
    return alike ? [{ shape: indices.shape, dtype: "float32" }] : `apart from axis ${axis} both shapes must be equal`;
  },
  onnx: ({ attributes }) => ({ type: "GatherElements", attributes }),
  gradient: overTwo(({ node, left: value, right: indices, change, ops }) => {
    const axis = Number(node.attributes["axis"]);
    return [ops.scatterElements(indices, change, value.shape[axis] as number, axis), undefined];
  }),
  cases: [{ inputs: [...floats([2, 4]), ...indices([2, 3], 4)], attributes: { axis: 1 } }],
};
