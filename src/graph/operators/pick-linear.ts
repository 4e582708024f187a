/**
 * Log-probabilities of one given id a row, from what the logits are made of: log softmax(hidden weight^T) at the row's
 * index. The second output is the whole log softmax. With p the softmax, o = p - onehot(index) and g the gradient:
 *
 *   grad hidden = -g (o weight),   grad weight = o^T (-g hidden)
 *
 * so that g multiplies rows as wide as the hidden state, and not as wide as the vocabulary.
 */
import { over } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { floats, indices } from "../shapes.ts";
import { scalar, type Tensor } from "../tensor.ts";

export const pickLinear: Operator = {
  infer: ([hidden, weight, picked]) => {
    if (hidden?.dtype !== "float32" || hidden.shape.length !== 2) return "the hidden state must be a float32 matrix";
    if (weight?.dtype !== "float32" || weight.shape.length !== 2) return "the weight must be a float32 matrix";
    if (hidden.shape[1] !== weight.shape[1]) return "hidden state and weight differ in columns";
    const [rows, size] = [hidden.shape[0] as number, weight.shape[0] as number];
    if (picked?.dtype !== "int64" || picked.shape.join() !== `${rows},1`)
      return `the indices must be int64[${rows}, 1]`;
    return [
      { shape: [rows, 1], dtype: "float32" },
      { shape: [rows, size], dtype: "float32" },
    ];
  },
  lower: ({ inputs, ops }) => {
    const [hidden, weight, picked] = inputs as [Tensor, Tensor, Tensor];
    const logs = ops.logSoftmax(ops.gemm(hidden, weight, { transRight: true }), 1);
    return [ops.gatherElements(logs, picked, 1), logs];
  },
  gradient: over(({ inputs, outputs, change, ops }) => {
    const [hidden, weight, picked] = inputs;
    const [, logs] = outputs;
    const less = ops.expand(scalar(-1), picked.shape);
    const off = ops.scatterElements(picked, less, weight.shape[0] as number, 1, ops.exp(logs));
    const back = ops.neg(change);
    return [ops.mul(ops.gemm(off, weight), back), ops.gemm(off, ops.mul(hidden, back), { transLeft: true }), undefined];
  }),
  cases: [{ inputs: [...floats([3, 2], [4, 2]), ...indices([3, 1], 4)] }],
};
