/**
 * softmax(scores) times values: the half of attention after the scores. Scores are [groups, queries, keys], values
 * [groups, keys, size]. Two more inputs are scores and values of keys that belong to one branch only: [groups * branches,
 * queries / branches, own keys] and [groups * branches, own keys, size], where the queries of a group are those of its
 * branches one after another. The softmax is over both kinds of keys.
 *
 * With w the softmax, o the result and g its gradient, the row sums that softmax's gradient needs are sums over `size`
 * instead of over all keys: sum_j w_j (g v_j) = g o. So grad scores = w (g V^T - g o).
 */
import type { Builders, Operator } from "../operator.ts";
import type { Shape, Tensor } from "../tensor.ts";

/** Weights below this are far below the rounding of any sum they enter; see `flush` for why they are dropped. */
const NOTHING = 1e-12;

export const attend: Operator = {
  infer: (inputs) => {
    const [scores, values, ownScores, ownValues] = inputs;
    if (scores === undefined || values === undefined || inputs.some(({ shape }) => shape.length !== 3))
      return "scores and values must have three axes";
    if (inputs.some(({ dtype }) => dtype !== "float32")) return "scores and values must be float32";
    const fault = misfit(scores.shape, values.shape);
    if (fault !== undefined) return fault;
    const [groups, queries, keys] = scores.shape as [number, number, number];
    const size = values.shape[2] as number;
    if (ownScores === undefined || ownValues === undefined)
      return [{ shape: [groups, queries, size], dtype: "float32" }, scores];
    const ownFault = misfit(ownScores.shape, ownValues.shape);
    if (ownFault !== undefined) return ownFault;
    const [branches, ownQueries, ownKeys] = ownScores.shape as [number, number, number];
    if (branches % groups !== 0 || branches * ownQueries !== groups * queries || ownValues.shape[2] !== size)
      return "the branches do not divide the queries evenly, or their values have another size";
    return [
      { shape: [groups, queries, size], dtype: "float32" },
      { shape: [groups, queries, keys + ownKeys], dtype: "float32" },
    ];
  },
  lower: ({ inputs, ops }) => {
    const [scores, values, ownScores, ownValues] = inputs as [Tensor, Tensor, Tensor | undefined, Tensor | undefined];
    if (ownScores === undefined || ownValues === undefined) {
      const weights = ops.flush(ops.softmax(scores, 2), NOTHING);
      return [ops.matmul(weights, values), weights];
    }
    const shape = [...scores.shape.slice(0, 2), ownScores.shape[2] as number];
    const weights = ops.flush(ops.softmax(ops.concat([scores, ops.reshape(ownScores, shape)], 2), 2), NOTHING);
    const [before, own] = parts(ops, weights, scores, ownScores);
    const first = ops.matmul(before, values);
    return [ops.add(first, ops.reshape(ops.matmul(own, ownValues), first.shape)), weights];
  },
  gradient: ({ inputs, outputs, gradients, ops }) => {
    const [scores, values, ownScores, ownValues] = inputs as [Tensor, Tensor, Tensor | undefined, Tensor | undefined];
    const [result, weights] = outputs as [Tensor, Tensor];
    const [change] = gradients;
    if (change === undefined) return [];
    const total = ops.reduceSum(ops.mul(change, result), [2]);
    const pull = (w: Tensor, v: Tensor, g: Tensor, sum: Tensor): [Tensor, Tensor] => [
      ops.mul(w, ops.sub(ops.matmul(g, swap(ops, v)), sum)),
      ops.matmul(swap(ops, w), g),
    ];
    if (ownScores === undefined || ownValues === undefined) return pull(weights, values, change, total);
    const [before, own] = parts(ops, weights, scores, ownScores);
    const rows = ownScores.shape.slice(0, 2);
    const ownChange = ops.reshape(change, [...rows, change.shape[2] as number]);
    return [
      ...pull(before, values, change, total),
      ...pull(own, ownValues, ownChange, ops.reshape(total, [...rows, 1])),
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
        { shape: [2, 4, 3], dtype: "float32" },
        { shape: [2, 3, 2], dtype: "float32" },
        { shape: [4, 2, 2], dtype: "float32" },
        { shape: [4, 2, 2], dtype: "float32" },
      ],
    },
  ],
};

function misfit(scores: Shape, values: Shape): string | undefined {
  if (scores[0] !== values[0]) return `there are ${scores[0]} groups of scores and ${values[0]} of values`;
  return scores[2] === values[1] ? undefined : `there are ${scores[2]} scores and ${values[1]} values`;
}

/** The weights on the shared keys, and those on each branch's own keys. */
function parts(ops: Builders, weights: Tensor, scores: Tensor, ownScores: Tensor): [Tensor, Tensor] {
  const [before, own] = ops.split(weights, [scores.shape[2] as number, ownScores.shape[2] as number], 2) as [
    Tensor,
    Tensor,
  ];
  return [before, ops.reshape(own, ownScores.shape)];
}

function swap(ops: Builders, value: Tensor): Tensor {
  return ops.transpose(value, [0, 2, 1]);
}
