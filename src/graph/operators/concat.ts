/** Joins tensors along an axis. The gradient is split again. */
import { over } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { axisOf, floats, withSize } from "../shapes.ts";
import { sameShape } from "../tensor.ts";

export const concat: Operator = {
  infer: (inputs, attributes) => {
    const [first] = inputs;
    if (first === undefined) return "there is nothing to join";
    const axis = axisOf(attributes, first.shape.length);
    if (typeof axis === "string") return axis;
    const like = (shape: readonly number[]): readonly number[] => withSize(shape, axis, 0);
    const odd = inputs.find(({ shape, dtype }) => dtype !== first.dtype || !sameShape(like(shape), like(first.shape)));
    if (odd !== undefined) return `apart from axis ${axis} all shapes and types must be equal`;
    const size = inputs.reduce((total, { shape }) => total + (shape[axis] as number), 0);
    return [{ shape: withSize(first.shape, axis, size), dtype: first.dtype }];
  },
  onnx: ({ attributes }) => ({ type: "Concat", attributes }),
  gradient: over(({ node, inputs, change, ops }) => {
    const axis = Number(node.attributes["axis"]);
    const sizes = inputs.map(({ shape }) => shape[axis] as number);
    return ops.split(change, sizes, axis);
  }),
  cases: [{ inputs: floats([2, 1], [2, 3]), attributes: { axis: 1 } }],
};
