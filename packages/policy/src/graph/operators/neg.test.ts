import { operatorContract } from "../operator.contract.ts";

// -[1 -2] = [-1 2].
operatorContract("neg", [
  {
    inputs: [{ dtype: "float32", shape: [2], values: [1, -2] }],
    outputs: [[-1, 2]],
  },
]);
