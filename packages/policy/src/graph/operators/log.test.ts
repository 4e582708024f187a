import { operatorContract } from "../operator.contract.ts";

// log 1 = 0, log 2 = 0.69315.
operatorContract("log", [
  {
    inputs: [{ dtype: "float32", shape: [2], values: [1, 2] }],
    outputs: [[0, 0.69315]],
  },
]);
