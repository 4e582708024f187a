import { operatorContract } from "../operator.contract.ts";

// Rows 2, 0 and 2 of [1 2; 3 4; 5 6].
operatorContract("gather", [
  {
    inputs: [
      { dtype: "float32", shape: [3, 2], values: [1, 2, 3, 4, 5, 6] },
      { dtype: "int64", shape: [3], values: [2, 0, 2] },
    ],
    outputs: [[5, 6, 1, 2, 5, 6]],
  },
]);
