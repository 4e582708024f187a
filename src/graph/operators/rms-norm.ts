/**
 * Root-mean-square normalisation over the last axis, as one fused operator of the runtime:
 *
 *   y = scale * x * r,   r = 1 / sqrt(mean(x^2) + epsilon)
 *
 * The runtime also returns r, which the gradient reuses. With h = g * scale:
 *   grad x = r h - x r^2 mean(h x r),   grad scale = sum(g x r)
 */
import { over } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { floats } from "../shapes.ts";
import { elementCount, scalar } from "../tensor.ts";

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
  gradient: over(({ inputs, outputs, change, ops }) => {
    const [value, scale] = inputs;
    const [, root] = outputs;
    // Written so that few passes over whole tensors are left: what is one number a row is multiplied first.
    const size = scale.shape[0] as number;
    const scaled = ops.mul(change, root);
    const product = ops.mul(scaled, value);
    const flat = ops.reshape(product, [elementCount(root.shape), size]);
    const drift = ops.reshape(ops.gemm(flat, ops.reshape(scale, [size, 1])), root.shape);
    const small = ops.mul(ops.mul(ops.mul(root, root), scalar(1 / size)), drift);
    return [ops.sub(ops.mul(scaled, scale), ops.mul(value, small)), ops.sumTo(product, scale.shape)];
  }),
  cases: [{ inputs: floats([2, 2, 4], [4]), attributes: { epsilon: 0.01 } }],
};
