/**
 * Log-probabilities of given ids: log softmax of each row of logits at the row's indices. The second output is the whole
 * log softmax. With p the softmax and g the gradient: grad logits = onehot(indices) g - p sum(g), where the sum is over the
 * few picked ids and not over the vocabulary.
 */
import type { Operator } from "../operator.ts";
import type { Tensor } from "../tensor.ts";

export const pickLogprob: Operator = {
  infer: ([logits, indices]) => {
    if (logits?.dtype !== "float32" || logits.shape.length !== 2) return "the logits must be a float32 matrix";
    if (indices?.dtype !== "int64" || indices.shape.length !== 2) return "the indices must be an int64 matrix";
    if (indices.shape[0] !== logits.shape[0]) return "logits and indices differ in rows";
    return [{ shape: indices.shape, dtype: "float32" }, logits];
  },
  lower: ({ inputs, ops }) => {
    const [logits, indices] = inputs as [Tensor, Tensor];
    const logs = ops.logSoftmax(logits, 1);
    return [ops.gatherElements(logs, indices, 1), logs];
  },
  gradient: ({ inputs, outputs, gradients, ops }) => {
    const [, indices] = inputs as [Tensor, Tensor];
    const [, logs] = outputs as [Tensor, Tensor];
    const [change] = gradients;
    if (change === undefined) return [];
    const total = ops.neg(ops.reduceSum(change, [1]));
    const spread = ops.mul(ops.exp(logs), total);
    return [ops.scatterElements(indices, change, logs.shape[1] as number, 1, spread), undefined];
  },
  cases: [
    {
      inputs: [
        { shape: [3, 4], dtype: "float32" },
        { shape: [3, 2], dtype: "int64", range: [0, 4] },
      ],
    },
  ],
};
