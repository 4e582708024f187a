/** Whether two values are equal, with broadcasting. A truth value has no gradient. */
import type { Operator } from "../operator.ts";
import { broadcast } from "../shapes.ts";

export const equal: Operator = {
  infer: ([left, right]) => {
    if (left === undefined || right === undefined || left.dtype !== right.dtype) return "both sides must have one type";
    const shape = broadcast(left.shape, right.shape);
    return typeof shape === "string" ? shape : [{ shape, dtype: "bool" }];
  },
  onnx: () => ({ type: "Equal" }),
  cases: [
    {
      inputs: [
        { shape: [2, 3], dtype: "int64", range: [0, 3] },
        { shape: [3], dtype: "int64", range: [0, 3] },
      ],
    },
  ],
};
