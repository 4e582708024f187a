/** Rows of a table by index. Rows used several times collect the sum of their gradients. */
import { overTwo } from "../frames.ts";
import type { Operator } from "../operator.ts";

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
  cases: [
    {
      inputs: [
        { shape: [4, 3], dtype: "float32" },
        { shape: [2, 3], dtype: "int64", range: [0, 4] },
      ],
    },
    {
      inputs: [
        { shape: [3, 2], dtype: "float32" },
        { shape: [5], dtype: "int64", range: [0, 3] },
      ],
    },
  ],
};
