/**
 * Product of two matrices, either of them transposed on the fly: op(A) op(B).
 * With C = op(A) op(B): grad op(A) = G op(B)^T and grad op(B) = op(A)^T G, transposed back where the input was.
 */
import { overTwo } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { floats } from "../shapes.ts";

export const gemm: Operator = {
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
};
