import { operatorContract } from "../operator.contract.ts";

// Rows of [1 7 3; 4 5 6]: 7 and 6.
operatorContract("reduceMax", [
  {
    inputs: [{ dtype: "float32", shape: [2, 3], values: [1, 7, 3, 4, 5, 6] }],
    attributes: { axes: [1] },
    outputs: [[7, 6]],
  },
]);
