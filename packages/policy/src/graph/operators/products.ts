/** Products of matrices, attention and rotary positions. */
import { broadcast, floats, indices, listOf, over, overTwo } from "../frames.ts";
import type { Builders, Operator } from "../operator.ts";
import { elementCount, sameShape, type Attributes, type Shape, type Tensor, type TensorType } from "../tensor.ts";

/** The runtime may round x to eight bits: without that, its kernels are three to a hundred times slower. */
const ROUNDED_INPUT = 4;

const TABLE = { shape: [5, 2], dtype: "float32", fixed: true } as const;

export const products = {
  /**
   * Product of two matrices, either of them transposed on the fly: op(A) op(B).
   * With C = op(A) op(B): grad op(A) = G op(B)^T and grad op(B) = op(A)^T G, transposed back where the input was.
   */
  gemm: {
    infer: ([left, right], attributes) => {
      if (left?.dtype !== "float32" || right?.dtype !== "float32") return "both sides must be float32";
      if (left.shape.length !== 2 || right.shape.length !== 2) return "both sides must be matrices";
      const [rows, inner] = attributes["transA"] === 1 ? [...left.shape].reverse() : left.shape;
      const [other, columns] = attributes["transB"] === 1 ? [...right.shape].reverse() : right.shape;
      if (inner !== other) return `the inner sizes ${inner} and ${other} differ`;
      return [{ shape: [rows as number, columns as number], dtype: "float32" }];
    },
    onnx: ({ attributes }) => ({ type: "Gemm", attributes }),
    gradient: overTwo(({ node, left, right, change, ops }) => {
      const transLeft = node.attributes["transA"] === 1;
      const transRight = node.attributes["transB"] === 1;
      return [
        transLeft
          ? ops.gemm(right, change, { transLeft: transRight, transRight: true })
          : ops.gemm(change, right, { transRight: !transRight }),
        transRight
          ? ops.gemm(change, left, { transLeft: true, transRight: transLeft })
          : ops.gemm(left, change, { transLeft: !transLeft }),
      ];
    }),
    cases: [
      { inputs: floats([2, 3], [3, 4]), attributes: { transA: 0, transB: 0 } },
      { inputs: floats([3, 2], [3, 4]), attributes: { transA: 1, transB: 0 } },
      { inputs: floats([2, 3], [4, 3]), attributes: { transA: 0, transB: 1 } },
      { inputs: floats([3, 2], [4, 3]), attributes: { transA: 1, transB: 1 } },
    ],
  },
  /**
   * Matrix product over the last two axes. Leading axes are equal, or the right side is one matrix for all.
   * d(A B) = dA B + A dB, so grad A = G B^T and grad B = A^T G, summed over the leading axes when B has none.
   */
  matmul: {
    infer: ([left, right]) => {
      if (left?.dtype !== "float32" || right?.dtype !== "float32") return "both sides must be float32";
      if (left.shape.length < 2 || right.shape.length < 2) return "both sides need at least two axes";
      const lead = left.shape.slice(0, -2);
      const shared = right.shape.length === 2 || sameShape(lead, right.shape.slice(0, -2));
      if (!shared) return "the leading axes differ, and the right side is not a single matrix";
      if (left.shape.at(-1) !== right.shape.at(-2)) {
        return `the left side has ${left.shape.at(-1)} columns, the right side ${right.shape.at(-2)} rows`;
      }
      return [{ shape: [...lead, left.shape.at(-2) as number, right.shape.at(-1) as number], dtype: "float32" }];
    },
    onnx: () => ({ type: "MatMul" }),
    gradient: overTwo(({ left, right, change, ops }) => {
      const swap = (value: Tensor): Tensor => {
        const last = value.shape.length - 1;
        return ops.transpose(value, [...value.shape.keys()].slice(0, -2).concat(last, last - 1));
      };
      const leftChange = ops.matmul(change, swap(right));
      if (right.shape.length > 2 || left.shape.length === 2) return [leftChange, ops.matmul(swap(left), change)];
      // One weight for all rows: a single product over flattened rows is far faster than many small ones and their sum.
      const rows = elementCount(left.shape.slice(0, -1));
      const flat = (value: Tensor): Tensor => ops.reshape(value, [rows, value.shape.at(-1) as number]);
      return [leftChange, ops.gemm(flat(left), flat(change), { transLeft: true })];
    }),
    cases: [
      { inputs: floats([2, 3], [3, 4]) },
      { inputs: floats([2, 2, 3], [2, 3, 2]) },
      { inputs: floats([2, 2, 3], [3, 2]) },
    ],
  },
  /**
   * x W^T where W is kept in few bits: a block of columns shares a scale, and a code c of b bits stands for (c - 2^(b-1)) scale.
   * Codes are [out, blocks, bytes of a block], the first of two codes of four bits in the lower half of its byte; scales
   * are [out * blocks]. Where W is part of the graph the runtime packs it, and rounds x to eight bits by block as it multiplies.
   * A gradient would need W itself: training has it, and uses `gemm`.
   */
  quantisedLinear: {
    infer: ([value, codes, scales], attributes) => {
      const bits = Number(attributes["bits"]);
      if (bits !== 4 && bits !== 8) return `the bits are ${bits}; 4 or 8 can be computed`;
      if (value?.dtype !== "float32" || value.shape.length !== 2) return "the value must be a float32 matrix";
      if (codes?.dtype !== "uint8" || codes.shape.length !== 3) return "the codes must be uint8[out, blocks, bytes]";
      const [out, blocks, size] = codes.shape as [number, number, number];
      if (scales?.dtype !== "float32" || scales.shape.join() !== String(out * blocks))
        return `the scales must be float32[${out * blocks}]`;
      const columns = (blocks * size * 8) / bits;
      if (value.shape[1] !== columns) return `the value has ${value.shape[1]} columns, the codes have ${columns}`;
      return [{ shape: [value.shape[0] as number, out], dtype: "float32" }];
    },
    onnx: ({ inputs: [value, codes], attributes }) => {
      const [out, blocks] = (codes as TensorType).shape as [number, number, number];
      const columns = value?.shape[1] as number;
      const bits = Number(attributes["bits"]);
      const size = { K: columns, N: out, bits, block_size: columns / blocks };
      return {
        type: "MatMulNBits",
        domain: "com.microsoft",
        attributes: { ...size, accuracy_level: ROUNDED_INPUT },
      };
    },
    cases: [],
  },
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
  attend: {
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
  },
  /**
   * Rotary positions, as one fused operator of the runtime. Each head of `value`, [rows, width, heads * size] or [rows, heads, width, size],
   * is turned by the angles of its position, first half against second half; the tables are [positions, size / 2]:
   *
   *   y1 = x1 cos - x2 sin,   y2 = x2 cos + x1 sin
   *
   * A rotation's gradient is the rotation back: the same with the sine negated.
   */
  rotary: {
    infer: ([value, positions, cosine, sine]) => {
      if (value?.dtype !== "float32" || (value.shape.length !== 3 && value.shape.length !== 4))
        return "the value must be float32 with three or four axes";
      const [rows, second, third] = value.shape as [number, number, number];
      if (
        positions?.dtype !== "int64" ||
        !sameShape(positions.shape, [rows, value.shape.length === 3 ? second : third])
      )
        return "the positions must be int64, one for each place of each row";
      if (cosine?.dtype !== "float32" || cosine.shape.length !== 2 || !sameShape(cosine.shape, sine?.shape ?? []))
        return "the tables must be float32 matrices of one shape";
      const size = (cosine.shape[1] as number) * 2;
      const last = value.shape.at(-1) as number;
      if (value.shape.length === 4 && last !== size) return `the last axis must hold one head of ${size}`;
      return last % size === 0 ? [value] : `the last axis must hold whole heads of ${size}`;
    },
    onnx: () => ({ type: "RotaryEmbedding", domain: "com.microsoft", attributes: { interleaved: 0 } }),
    gradient: over(({ inputs: [, positions, cosine, sine], change, ops }) => [
      ops.rotary(change, positions, cosine, ops.neg(sine)),
    ]),
    cases: [
      [2, 3, 8],
      [2, 2, 3, 4],
    ].map((shape) => ({
      inputs: [...floats(shape), ...indices([2, 3], 5), TABLE, TABLE],
    })),
  },
} as const satisfies Record<string, Operator>;

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
