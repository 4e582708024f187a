import { operatorContract } from "../operator.contract.ts";

// Rows [1 1] and [2 2] both go to row 1, [3 3] to row 0.
operatorContract("scatterRows", [
  {
    inputs: [
      { dtype: "float32", shape: [2, 2], values: [0, 0, 0, 0] },
      { dtype: "int64", shape: [3, 1], values: [1, 0, 1] },
      { dtype: "float32", shape: [3, 2], values: [1, 1, 3, 3, 2, 2] },
    ],
    outputs: [[3, 3, 3, 3]],
  },
  {
    inputs: [
      { dtype: "float32", shape: [2, 1], values: [10, 20] },
      { dtype: "int64", shape: [1, 1], values: [1] },
      { dtype: "float32", shape: [1, 1], values: [5] },
    ],
    outputs: [[10, 25]],
  },
]);
