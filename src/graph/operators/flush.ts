/**
 * Values up to `least` become zero. Tiny probabilities times tiny gradients fall into the denormal range, where a
 * processor is many times slower; as exact zeros they cost nothing. The gradient passes where the value stayed.
 */
import type { Operator } from "../operator.ts";
import { sameFloats } from "../shapes.ts";
import { scalar } from "../tensor.ts";

export const flush: Operator = {
  infer: (inputs, attributes) =>
    Number(attributes["least"]) >= 0 ? sameFloats(inputs) : "the least value kept must not be negative",
  onnx: ({ attributes }) => ({ type: "ThresholdedRelu", floatAttributes: { alpha: Number(attributes["least"]) } }),
  gradient: ({ node, inputs, gradients, ops }) => {
    const [value] = inputs;
    const [change] = gradients;
    if (value === undefined || change === undefined) return [];
    return [ops.where(ops.greater(value, scalar(Number(node.attributes["least"]))), change, scalar(0))];
  },
  cases: [{ inputs: [{ shape: [2, 3], dtype: "float32", range: [0.5, 1] }], attributes: { least: 0.25 } }],
};
