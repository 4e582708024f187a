/** The largest values along the last axis, the largest first, and their indices; of equal ones the lower index comes first. */
import { over } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { floats } from "../shapes.ts";

export const topK: Operator = {
  infer: ([value], attributes) => {
    if (value?.dtype !== "float32" || value.shape.length === 0)
      return "the value must be float32 with at least one axis";
    const count = Number(attributes["count"]);
    const size = value.shape.at(-1) as number;
    if (!(Number.isInteger(count) && count >= 1 && count <= size)) return `${count} of ${size} values cannot be taken`;
    const shape = [...value.shape.slice(0, -1), count];
    return [
      { shape, dtype: "float32" },
      { shape, dtype: "int64" },
    ];
  },
  onnx: ({ attributes }) => ({
    type: "TopK",
    attributes: { axis: -1, largest: 1, sorted: 1 },
    extra: [[Number(attributes["count"])]],
  }),
  gradient: over(({ inputs: [value], outputs: [, picked], change, ops }) => {
    const axis = value.shape.length - 1;
    return [ops.scatterElements(picked, change, value.shape[axis] as number, axis)];
  }),
  cases: [{ inputs: floats([3, 4]), attributes: { count: 2 } }],
};
