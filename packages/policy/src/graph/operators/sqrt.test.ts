import { operatorContract } from "../operator.contract.ts";

// sqrt 4 = 2, sqrt 2 = 1.41421.
operatorContract("sqrt", [
  {
    inputs: [{ dtype: "float32", shape: [2], values: [4, 2] }],
    outputs: [[2, 1.41421]],
  },
]);
