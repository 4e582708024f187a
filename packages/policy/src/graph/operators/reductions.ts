/** Over axes or along one. */
import { alongAxis, floats, over, reduction } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { elementCount, scalar } from "../tensor.ts";

export const reductions = {
  /** Sum over axes, which stay as ones. The gradient is spread over what was summed. */
  reduceSum: reduction("ReduceSum", ({ change, value, ops }) => ops.expand(change, value.shape)),
  /** Mean over axes, which stay as ones. The gradient is spread evenly over what was averaged. */
  reduceMean: reduction("ReduceMean", ({ change, value, ops }) => {
    const share = elementCount(change.shape) / elementCount(value.shape);
    return ops.expand(ops.mul(change, scalar(share)), value.shape);
  }),
  /** Largest value over axes, which stay as ones. For numerical shifts only: it has no gradient rule. */
  reduceMax: reduction("ReduceMax"),
  /** exp(x_i) / sum_j exp(x_j) along an axis. With y the result: grad x = y (g - sum(g y)). */
  softmax: alongAxis("Softmax", ({ axis, change, result, ops }) => {
    const weighted = ops.mul(change, result);
    return ops.sub(weighted, ops.mul(result, ops.reduceSum(weighted, [axis])));
  }),
  /** x_i - log sum_j exp(x_j) along an axis. With y the result: grad x = g - exp(y) sum(g). */
  logSoftmax: alongAxis("LogSoftmax", ({ axis, change, result, ops }) =>
    ops.sub(change, ops.mul(ops.exp(result), ops.reduceSum(change, [axis]))),
  ),
  /** The largest values along the last axis, the largest first, and their indices; of equal ones the lower index comes first. */
  topK: {
    infer: ([value], attributes) => {
      if (value?.dtype !== "float32" || value.shape.length === 0)
        return "the value must be float32 with at least one axis";
      const count = Number(attributes["count"]);
      const size = value.shape.at(-1) as number;
      if (!(Number.isInteger(count) && count >= 1 && count <= size))
        return `${count} of ${size} values cannot be taken`;
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
  },
  /**
   * Root-mean-square normalisation over the last axis, as one fused operator of the runtime:
   *
   *   y = scale * x * r,   r = 1 / sqrt(mean(x^2) + epsilon)
   *
   * The runtime also returns r, which the gradient reuses. With h = g * scale:
   *   grad x = r h - x r^2 mean(h x r),   grad scale = sum(g x r)
   */
  rmsNorm: {
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
  },
} as const satisfies Record<string, Operator>;
