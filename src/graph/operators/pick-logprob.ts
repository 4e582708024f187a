/**
 * Log-probabilities of given ids: log softmax of each row of logits at the row's indices. The second output is the whole
 * log softmax. With p the softmax and g the gradient: grad logits = onehot(indices) g - p sum(g), where the sum is over the
 * few picked ids and not over the vocabulary.
 */
import { over } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { floats, indices } from "../shapes.ts";
import type { Tensor } from "../tensor.ts";

export const pickLogprob: Operator = {
  infer: ([logits, picked]) => {
    if (logits?.dtype !== "float32" || logits.shape.length !== 2) return "the logits must be a float32 matrix";
    if (picked?.dtype !== "int64" || picked.shape.length !== 2) return "the indices must be an int64 matrix";
    if (picked.shape[0] !== logits.shape[0]) return "logits and indices differ in rows";
    return [{ shape: picked.shape, dtype: "float32" }, logits];
  },
  lower: ({ inputs, ops }) => {
    const [logits, picked] = inputs as [Tensor, Tensor];
    const logs = ops.logSoftmax(logits, 1);
    return [ops.gatherElements(logs, picked, 1), logs];
  },
  gradient: over(({ inputs: [, picked], outputs: [, logs], change, ops }) => {
    const total = ops.neg(ops.reduceSum(change, [1]));
    const spread = ops.mul(ops.exp(logs), total);
    return [ops.scatterElements(picked, change, logs.shape[1] as number, 1, spread), undefined];
  }),
  cases: [{ inputs: [...floats([3, 4]), ...indices([3, 2], 4)] }],
};
