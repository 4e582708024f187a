/** Zeros before and after along one axis. The gradient is the slice in the middle. */
import { overOne } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { axisOf, floats, withSize } from "../shapes.ts";

export const pad: Operator = {
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
};
