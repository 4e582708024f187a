/**
 * Log-probabilities of one given id a row, from what the logits are made of: log softmax(hidden weight^T) at the row's
 * index. The second output is the whole log softmax. With p the softmax, o = p - onehot(index) and g the gradient:
 *
 *   grad hidden = -g (o weight),   grad weight = o^T (-g hidden)
 *
 * so that g multiplies rows as wide as the hidden state, and not as wide as the vocabulary.
 */
import type { Operator } from "../operator.ts";
import { scalar, type Tensor } from "../tensor.ts";

export const pickLinear: Operator = {
  infer: ([hidden, weight, indices]) => {
    if (hidden?.dtype !== "float32" || hidden.shape.length !== 2) return "the hidden state must be a float32 matrix";
    if (weight?.dtype !== "float32" || weight.shape.length !== 2) return "the weight must be a float32 matrix";
    if (hidden.shape[1] !== weight.shape[1]) return "hidden state and weight differ in columns";
    const [rows, size] = [hidden.shape[0] as number, weight.shape[0] as number];
    if (indices?.dtype !== "int64" || indices.shape.join() !== `${rows},1`)
      return `the indices must be int64[${rows}, 1]`;
    return [
      { shape: [rows, 1], dtype: "float32" },
      { shape: [rows, size], dtype: "float32" },
    ];
  },
  lower: ({ inputs, ops }) => {
    const [hidden, weight, indices] = inputs as [Tensor, Tensor, Tensor];
    const logs = ops.logSoftmax(ops.gemm(hidden, weight, { transRight: true }), 1);
    return [ops.gatherElements(logs, indices, 1), logs];
  },
  gradient: ({ inputs, outputs, gradients, ops }) => {
    const [hidden, weight, indices] = inputs as [Tensor, Tensor, Tensor];
    const [, logs] = outputs as [Tensor, Tensor];
    const [change] = gradients;
    if (change === undefined) return [];
    const less = ops.expand(scalar(-1), indices.shape);
    const off = ops.scatterElements(indices, less, weight.shape[0] as number, 1, ops.exp(logs));
    const back = ops.neg(change);
    return [ops.mul(ops.gemm(off, weight), back), ops.gemm(off, ops.mul(hidden, back), { transLeft: true }), undefined];
  },
  cases: [
    {
      inputs: [
        { shape: [3, 2], dtype: "float32" },
        { shape: [4, 2], dtype: "float32" },
        { shape: [3, 1], dtype: "int64", range: [0, 4] },
      ],
    },
  ],
};
