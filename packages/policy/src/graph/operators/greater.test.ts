import { operatorContract } from "../operator.contract.ts";

// [1 2] > 1: no, yes.
operatorContract("greater", [
  {
    inputs: [
      { dtype: "float32", shape: [2], values: [1, 2] },
      { dtype: "float32", shape: [], values: [1] },
    ],
    outputs: [[0, 1]],
  },
]);
