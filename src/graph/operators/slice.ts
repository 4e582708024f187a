/** A range of one axis. The gradient is padded with zeros to the old size. */
import { overOne } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { axisOf, floats, withSize } from "../shapes.ts";

export const slice: Operator = {
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
};
