/**
 * softmax(scores) times values: the half of attention after the scores. Scores are [groups, queries, keys], values
 * [groups, keys, size]. With a third input the last keys are a branch's own: [groups * branches, own keys, size], where
 * the queries of a group are those of its branches one after another.
 *
 * With w the softmax, o the result and g its gradient, the row sums that softmax's gradient needs are sums over `size`
 * instead of over all keys: sum_j w_j (g v_j) = g o. So grad scores = w (g V^T - g o).
 */
import type { Builders, Operator } from "../operator.ts";
import { sameShape, type Tensor } from "../tensor.ts";

export const attend: Operator = {
  infer: ([scores, values, own]) => {
    const odd = [scores, values, own].find((one) => one !== undefined && one.dtype !== "float32");
    if (scores?.shape.length !== 3 || values?.shape.length !== 3 || odd !== undefined)
      return "scores and values must be float32 with three axes";
    const [groups, queries, keys] = scores.shape as [number, number, number];
    const [valueGroups, before, size] = values.shape as [number, number, number];
    const [ownGroups, ownKeys, ownSize] = (own?.shape ?? [groups, 0, size]) as [number, number, number];
    if (valueGroups !== groups || ownSize !== size) return "groups and sizes of scores and values differ";
    if (keys !== before + ownKeys) return `there are ${keys} scores and ${before + ownKeys} values`;
    if (ownGroups % groups !== 0 || queries % (ownGroups / groups) !== 0)
      return "the branches do not divide the queries evenly";
    return [{ shape: [groups, queries, size], dtype: "float32" }, scores];
  },
  lower: ({ inputs, ops }) => {
    const [scores, values, own] = inputs as [Tensor, Tensor, Tensor | undefined];
    const weights = ops.softmax(scores, 2);
    if (own === undefined) return [ops.matmul(weights, values), weights];
    const [first, second] = parts(ops, weights, values, own);
    const mixed = ops.matmul(second, own);
    const before = ops.matmul(first, values);
    return [ops.add(before, ops.reshape(mixed, before.shape)), weights];
  },
  gradient: ({ inputs, outputs, gradients, ops }) => {
    const [, values, own] = inputs as [Tensor, Tensor, Tensor | undefined];
    const [result, weights] = outputs as [Tensor, Tensor];
    const [change] = gradients;
    if (change === undefined) return [];
    const total = ops.reduceSum(ops.mul(change, result), [2]);
    if (own === undefined) {
      const pulled = ops.matmul(change, swap(ops, values));
      return [ops.mul(weights, ops.sub(pulled, total)), ops.matmul(swap(ops, weights), change)];
    }
    const [first, second] = parts(ops, weights, values, own);
    const split = ops.reshape(change, [
      second.shape[0] as number,
      second.shape[1] as number,
      change.shape[2] as number,
    ]);
    const ownPulled = ops.matmul(split, swap(ops, own));
    const shape = [...change.shape.slice(0, 2), own.shape[1] as number];
    const pulled = ops.concat([ops.matmul(change, swap(ops, values)), ops.reshape(ownPulled, shape)], 2);
    return [
      ops.mul(weights, ops.sub(pulled, total)),
      ops.matmul(swap(ops, first), change),
      ops.matmul(swap(ops, second), split),
    ];
  },
  cases: [
    {
      inputs: [
        { shape: [2, 3, 4], dtype: "float32" },
        { shape: [2, 4, 2], dtype: "float32" },
      ],
    },
    {
      inputs: [
        { shape: [2, 4, 5], dtype: "float32" },
        { shape: [2, 3, 2], dtype: "float32" },
        { shape: [4, 2, 2], dtype: "float32" },
      ],
    },
  ],
};

/** The weights on the shared keys, and those on each branch's own keys. */
function parts(ops: Builders, weights: Tensor, values: Tensor, own: Tensor): [Tensor, Tensor] {
  const [groups, queries] = weights.shape as [number, number];
  const sizes = [values.shape[1] as number, own.shape[1] as number];
  const [first, second] = ops.split(weights, sizes, 2) as [Tensor, Tensor];
  const [branches, keys] = own.shape as [number, number];
  const shape = [branches, (groups * queries) / branches, keys];
  return [first, sameShape(second.shape, shape) ? second : ops.reshape(second, shape)];
}

function swap(ops: Builders, value: Tensor): Tensor {
  return ops.transpose(value, [0, 2, 1]);
}
