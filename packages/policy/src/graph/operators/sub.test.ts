import { operatorContract } from "../operator.contract.ts";

// [5 7] - 2 = [3 5].
operatorContract("sub", [
  {
    inputs: [
      { dtype: "float32", shape: [2], values: [5, 7] },
      { dtype: "float32", shape: [], values: [2] },
    ],
    outputs: [[3, 5]],
  },
]);
