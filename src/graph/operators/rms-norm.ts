/**
 * Root-mean-square normalisation over the last axis, as one fused operator of the runtime:
 *
 *   y = scale * x * r,   r = 1 / sqrt(mean(x^2) + epsilon)
 *
 * The runtime also returns r, which the gradient reuses. With h = g * scale:
 *   grad x = r * (h - x r^2 mean(h x)),   grad scale = sum(g x r)
 */
import type { Operator } from "../operator.ts";

export const rmsNorm: Operator = {
  infer: ([value, scale]) => {
    if (value?.dtype !== "float32" || scale?.dtype !== "float32") return "value and scale must be float32";
    const size = value.shape.at(-1);
    if (size === undefined || scale.shape.length !== 1 || scale.shape[0] !== size) {
      return "the scale must be one row as long as the last axis";
    }
    return [value, { shape: [...value.shape.slice(0, -1), 1], dtype: "float32" }];
  },
  onnx: ({ attributes }) => ({
    type: "SimplifiedLayerNormalization",
    attributes: { axis: -1, stash_type: 1 },
    floatAttributes: { epsilon: Number(attributes["epsilon"]) },
  }),
  gradient: ({ inputs, outputs, gradients, ops }) => {
    const [value, scale] = inputs;
    const [, root] = outputs;
    const [change] = gradients;
    if (value === undefined || scale === undefined || root === undefined || change === undefined) return [];
    const last = value.shape.length - 1;
    const normal = ops.mul(value, root);
    const inner = ops.mul(change, scale);
    const drift = ops.reduceMean(ops.mul(inner, normal), [last]);
    return [ops.mul(root, ops.sub(inner, ops.mul(normal, drift))), ops.sumTo(ops.mul(change, normal), scale.shape)];
  },
  cases: [
    {
      inputs: [
        { shape: [2, 2, 4], dtype: "float32" },
        { shape: [4], dtype: "float32" },
      ],
      attributes: { epsilon: 0.01 },
    },
  ],
};
