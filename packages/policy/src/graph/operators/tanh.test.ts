import { operatorContract } from "../operator.contract.ts";

// tanh 0 = 0; tanh(log 2) = (2 - 1/2) / (2 + 1/2) = 0.6.
operatorContract("tanh", [
  {
    inputs: [{ dtype: "float32", shape: [2], values: [0, 0.6931472] }],
    outputs: [[0, 0.6]],
  },
]);
