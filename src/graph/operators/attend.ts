/**
 * softmax(scores) times values: the half of attention after the scores. Scores are [groups, queries, keys], values
 * [groups, keys, size]. A second pair is of keys that belong to one branch only: [groups * branches, queries / branches,
 * own keys] and [groups * branches, own keys, size], where the queries of a group are those of its branches one after
 * another. The softmax is over both kinds of keys.
 *
 * Limits hide keys: a score is lowered to its limit. A limit far below every visible score makes the key's weight
 * exactly zero, so no gradient reaches it. They follow the pairs; the attribute `limited` has a 1 for each pair that has some.
 *
 * With w the softmax, o the result and g its gradient, the row sums that softmax's gradient needs are sums over `size`
 * instead of over all keys: sum_j w_j (g v_j) = g o. So grad scores = w (g V^T - g o).
 */
import { over } from "../frames.ts";
import type { Builders, Operator } from "../operator.ts";
import { broadcast, floats, listOf } from "../shapes.ts";
import { sameShape, type Attributes, type Shape, type Tensor } from "../tensor.ts";

export const attend: Operator = {
  infer: (inputs, attributes) => {
    if (inputs.some(({ shape, dtype }) => shape.length !== 3 || dtype !== "float32"))
      return "scores, values and limits must be float32 with three axes";
    const [shared, own] = pairs(inputs, attributes);
    const fault = misfit(shared) ?? (own === undefined ? undefined : misfit(own));
    if (shared === undefined || fault !== undefined) return fault ?? "there are no scores";
    const [groups, queries, keys] = shared.scores.shape as [number, number, number];
    const size = shared.values.shape[2] as number;
    const result = { shape: [groups, queries, size], dtype: "float32" } as const;
    if (own === undefined) return [result, shared.scores];
    const [branches, ownQueries, ownKeys] = own.scores.shape as [number, number, number];
    if (branches % groups !== 0 || branches * ownQueries !== groups * queries || own.values.shape[2] !== size)
      return "the branches do not divide the queries evenly, or their values have another size";
    return [result, { shape: [groups, queries, keys + ownKeys], dtype: "float32" }];
  },
  lower: ({ node, inputs, ops }) => {
    const [shared, own] = pairs(inputs, node.attributes) as [Pair<Tensor>, Pair<Tensor> | undefined];
    const visible = ({ scores, limits }: Pair<Tensor>): Tensor =>
      limits === undefined ? scores : ops.min(scores, limits);
    if (own === undefined) {
      const weights = ops.softmax(visible(shared), 2);
      return [ops.matmul(weights, shared.values), weights];
    }
    const shape = [...shared.scores.shape.slice(0, 2), own.scores.shape[2] as number];
    const weights = ops.softmax(ops.concat([visible(shared), ops.reshape(visible(own), shape)], 2), 2);
    const [before, after] = cut(ops, weights, shared, own);
    const first = ops.matmul(before, shared.values);
    return [ops.add(first, ops.reshape(ops.matmul(after, own.values), first.shape)), weights];
  },
  gradient: over(({ node, inputs, outputs, change, ops }) => {
    const [shared, own] = pairs(inputs, node.attributes) as [Pair<Tensor>, Pair<Tensor> | undefined];
    const [result, weights] = outputs;
    const total = ops.reduceSum(ops.mul(change, result), [2]);
    const pull = (w: Tensor, v: Tensor, g: Tensor, sum: Tensor): [Tensor, Tensor] => [
      ops.mul(w, ops.sub(ops.matmul(g, swap(ops, v)), sum)),
      ops.matmul(swap(ops, w), g),
    ];
    if (own === undefined) return pull(weights, shared.values, change, total);
    const [before, after] = cut(ops, weights, shared, own);
    const rows = own.scores.shape.slice(0, 2);
    const ownChange = ops.reshape(change, [...rows, change.shape[2] as number]);
    return [
      ...pull(before, shared.values, change, total),
      ...pull(after, own.values, ownChange, ops.reshape(total, [...rows, 1])),
    ];
  }),
  cases: [
    { inputs: floats([2, 3, 4], [2, 4, 2]), attributes: { limited: [0] } },
    {
      inputs: [
        ...floats([2, 4, 3], [2, 3, 2], [4, 2, 2], [4, 2, 2]),
        { shape: [1, 1, 2], dtype: "float32", range: [2, 3], fixed: true },
      ],
      attributes: { limited: [0, 1] },
    },
  ],
};

interface Pair<Part> {
  readonly scores: Part;
  readonly values: Part;
  readonly limits: Part | undefined;
}

function pairs<Part>(inputs: readonly Part[], attributes: Attributes): Pair<Part>[] {
  const limited = listOf(attributes, "limited");
  const limits = inputs.slice(2 * limited.length);
  return limited.map((has, at) => ({
    scores: inputs[2 * at] as Part,
    values: inputs[2 * at + 1] as Part,
    limits: has === 1 ? limits.shift() : undefined,
  }));
}

function misfit(pair: Pair<{ readonly shape: Shape }> | undefined): string | undefined {
  const [scores, values, limits] = [pair?.scores.shape ?? [], pair?.values.shape ?? [], pair?.limits?.shape];
  if (scores[0] !== values[0]) return `there are ${scores[0]} groups of scores and ${values[0]} of values`;
  if (scores[2] !== values[1]) return `there are ${scores[2]} scores and ${values[1]} values`;
  const wide = limits === undefined ? scores : broadcast(scores, limits);
  return typeof wide === "string" || !sameShape(wide, scores) ? "the limits do not fit the scores" : undefined;
}

/** The weights on the shared keys, and those on each branch's own keys. */
function cut(ops: Builders, weights: Tensor, shared: Pair<Tensor>, own: Pair<Tensor>): [Tensor, Tensor] {
  const sizes = [shared.scores.shape[2] as number, own.scores.shape[2] as number];
  const [before, after] = ops.split(weights, sizes, 2) as [Tensor, Tensor];
  return [before, ops.reshape(after, own.scores.shape)];
}

function swap(ops: Builders, value: Tensor): Tensor {
  return ops.transpose(value, [0, 2, 1]);
}
