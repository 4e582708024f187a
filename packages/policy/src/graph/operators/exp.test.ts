import { operatorContract } from "../operator.contract.ts";

// exp 0 = 1, exp 1 = 2.71828.
operatorContract("exp", [
  {
    inputs: [{ dtype: "float32", shape: [2], values: [0, 1] }],
    outputs: [[1, 2.71828]],
  },
]);
