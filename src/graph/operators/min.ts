/** The smaller of two values, with broadcasting. The gradient goes to the smaller, to the right one where they are equal. */
import { binary } from "../frames.ts";
import { within } from "../shapes.ts";
import { scalar } from "../tensor.ts";

export const min = binary(
  "Min",
  ({ change, left, right, ops }) => {
    const first = ops.greater(right, left);
    return [ops.where(first, change, scalar(0)), ops.where(first, scalar(0), change)];
  },
  [
    { inputs: [...within([0, 1], [2, 3]), ...within([2, 3], [2, 1])] },
    { inputs: [...within([2, 3], [2, 3]), ...within([0, 1], [3])] },
  ],
);
