import { operatorContract } from "../operator.contract.ts";

// Rows of [1 2 3; 4 5 6]: 2 and 5; columns: 2.5, 3.5, 4.5.
operatorContract("reduceMean", [
  {
    inputs: [{ dtype: "float32", shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }],
    attributes: { axes: [1] },
    outputs: [[2, 5]],
  },
  {
    inputs: [{ dtype: "float32", shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }],
    attributes: { axes: [0] },
    outputs: [[2.5, 3.5, 4.5]],
  },
]);
