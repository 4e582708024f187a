import { operatorContract } from "../operator.contract.ts";

// sigmoid 0 = 0.5, sigmoid(log 3) = 3/4.
operatorContract("sigmoid", [
  {
    inputs: [{ dtype: "float32", shape: [2], values: [0, 1.0986123] }],
    outputs: [[0.5, 0.75]],
  },
]);
