/**
 * Matrix product over the last two axes. Leading axes are equal, or the right side is one matrix for all.
 * d(A B) = dA B + A dB, so grad A = G B^T and grad B = A^T G, summed over the leading axes when B has none.
 */
import { overTwo } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { floats } from "../shapes.ts";
import { elementCount, sameShape, type Tensor } from "../tensor.ts";

export const matmul: Operator = {
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
};
