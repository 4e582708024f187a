/** The same elements in another shape, order or piece. */
import { axisOf, broadcast, floats, listOf, over, overOne, withSize } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { elementCount, sameShape, scalar } from "../tensor.ts";

export const shaping = {
  /** The same elements in another shape. */
  reshape: {
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
  },
  /** Broadcasts to a larger shape. The gradient is summed over what was stretched. */
  expand: {
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
  },
  /** Reorders the axes. The gradient is reordered back. */
  transpose: {
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
  },
  /** Joins tensors along an axis. The gradient is split again. */
  concat: {
    infer: (inputs, attributes) => {
      const [first] = inputs;
      if (first === undefined) return "there is nothing to join";
      const axis = axisOf(attributes, first.shape.length);
      if (typeof axis === "string") return axis;
      const like = (shape: readonly number[]): readonly number[] => withSize(shape, axis, 0);
      const odd = inputs.find(
        ({ shape, dtype }) => dtype !== first.dtype || !sameShape(like(shape), like(first.shape)),
      );
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
  },
  /** Cuts a tensor along an axis into pieces of given sizes. Pieces without a gradient count as zeros. */
  split: {
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
  },
  /** A range of one axis. The gradient is padded with zeros to the old size. */
  slice: {
    infer: ([value], attributes) => {
      if (value === undefined) return "there is no value";
      const axis = axisOf(attributes, value.shape.length);
      if (typeof axis === "string") return axis;
      const [start, end] = [Number(attributes["start"]), Number(attributes["end"])];
      const size = value.shape[axis] as number;
      if (!(start >= 0 && start <= end && end <= size)) return `the range ${start} to ${end} is outside 0 to ${size}`;
      return [{ shape: withSize(value.shape, axis, end - start), dtype: value.dtype }];
    },
    onnx: ({ attributes }) => ({
      type: "Slice",
      extra: [[Number(attributes["start"])], [Number(attributes["end"])], [Number(attributes["axis"])]],
    }),
    gradient: overOne(({ node: { attributes }, change, value, ops }) => {
      const axis = Number(attributes["axis"]);
      const after = (value.shape[axis] as number) - Number(attributes["end"]);
      return [ops.pad(change, axis, Number(attributes["start"]), after)];
    }),
    cases: [{ inputs: floats([2, 5]), attributes: { axis: 1, start: 1, end: 4 } }],
  },
  /** Zeros before and after along one axis. The gradient is the slice in the middle. */
  pad: {
    infer: ([value], attributes) => {
      if (value?.dtype !== "float32") return "the value must be float32";
      const axis = axisOf(attributes, value.shape.length);
      if (typeof axis === "string") return axis;
      const [before, after] = [Number(attributes["before"]), Number(attributes["after"])];
      if (before < 0 || after < 0) return `padding ${before} and ${after} must not be negative`;
      return [{ shape: withSize(value.shape, axis, before + (value.shape[axis] as number) + after), dtype: "float32" }];
    },
    onnx: ({ attributes, outputs }) => {
      const rank = outputs[0]?.shape.length ?? 0;
      const pads = Array.from({ length: 2 * rank }, () => 0);
      pads[Number(attributes["axis"])] = Number(attributes["before"]);
      pads[rank + Number(attributes["axis"])] = Number(attributes["after"]);
      return { type: "Pad", extra: [pads] };
    },
    gradient: overOne(({ node, change, value, ops }) => {
      const [axis, before] = [Number(node.attributes["axis"]), Number(node.attributes["before"])];
      return [ops.slice(change, axis, before, before + (value.shape[axis] as number))];
    }),
    cases: [{ inputs: floats([2, 3]), attributes: { axis: 1, before: 1, after: 2 } }],
  },
} as const satisfies Record<string, Operator>;
