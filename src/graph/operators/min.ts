/** The smaller of two values, with broadcasting. The gradient goes to the smaller, to the right one where they are equal. */
import { binary } from "../frames.ts";
import { scalar } from "../tensor.ts";

export const min = binary(
  "Min",
  ({ change, left, right, ops }) => {
    const first = ops.greater(right, left);
    return [ops.where(first, change, scalar(0)), ops.where(first, scalar(0), change)];
  },
  [
    {
      inputs: [
        { shape: [2, 3], dtype: "float32", range: [0, 1] },
        { shape: [2, 1], dtype: "float32", range: [2, 3] },
      ],
    },
    {
      inputs: [
        { shape: [2, 3], dtype: "float32", range: [2, 3] },
        { shape: [3], dtype: "float32", range: [0, 1] },
      ],
    },
  ],
);
