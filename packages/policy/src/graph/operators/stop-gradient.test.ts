import { operatorContract } from "../operator.contract.ts";

// The value passes unchanged.
operatorContract("stopGradient", [
  {
    inputs: [{ dtype: "float32", shape: [2], values: [1, 2] }],
    outputs: [[1, 2]],
  },
]);
