/** Rows of a table by index. Rows used several times collect the sum of their gradients. */
import { overTwo } from "../frames.ts";
import type { Operator } from "../operator.ts";
import { floats, indices } from "../shapes.ts";

export const gather: Operator = {
  infer: ([table, indices]) => {
    if (table === undefined || table.shape.length === 0) return "the table needs at least one axis";
    if (indices?.dtype !== "int64") return "the indices must be int64";
    return [{ shape: [...indices.shape, ...table.shape.slice(1)], dtype: table.dtype }];
  },
  onnx: () => ({ type: "Gather", attributes: { axis: 0 } }),
  gradient: overTwo(({ left: table, right: indices, change, ops }) => [
    ops.scatterRows(indices, change, table.shape[0] as number),
    undefined,
  ]),
  cases: [{ inputs: [...floats([4, 3]), ...indices([2, 3], 4)] }, { inputs: [...floats([3, 2]), ...indices([5], 3)] }],
};
