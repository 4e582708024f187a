import { operatorContract } from "../operator.contract.ts";

// 1/4 = 0.25, 1/-2 = -0.5.
operatorContract("reciprocal", [
  {
    inputs: [{ dtype: "float32", shape: [2], values: [4, -2] }],
    outputs: [[0.25, -0.5]],
  },
]);
