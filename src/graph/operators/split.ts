/** Cuts a tensor along an axis into pieces of given sizes. Pieces without a gradient count as zeros. */
import type { Operator } from "../operator.ts";
import { axisOf, floats, listOf, withSize } from "../shapes.ts";
import { scalar } from "../tensor.ts";

export const split: Operator = {
  infer: ([value], attributes) => {
    if (value === undefined) return "there is no value";
    const axis = axisOf(attributes, value.shape.length);
    if (typeof axis === "string") return axis;
    const sizes = listOf(attributes, "sizes");
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (total !== value.shape[axis]) return `the sizes [${sizes.join(", ")}] do not add up to ${value.shape[axis]}`;
    return sizes.map((size) => ({ shape: withSize(value.shape, axis, size), dtype: value.dtype }));
  },
  onnx: ({ attributes }) => ({
    type: "Split",
    attributes: { axis: Number(attributes["axis"]) },
    extra: [listOf(attributes, "sizes")],
  }),
  gradient: ({ node, outputs, gradients, ops }) => {
    const pieces = outputs.map((piece, at) => gradients[at] ?? ops.expand(scalar(0), piece.shape));
    return [ops.concat(pieces, Number(node.attributes["axis"]))];
  },
  cases: [{ inputs: floats([2, 5]), attributes: { axis: 1, sizes: [2, 3] } }],
};
