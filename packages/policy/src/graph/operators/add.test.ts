import { operatorContract } from "../operator.contract.ts";

// [1 2] + [10 20] = [11 22]; a column and a row spread over each other.
operatorContract("add", [
  {
    inputs: [
      { dtype: "float32", shape: [2], values: [1, 2] },
      { dtype: "float32", shape: [2], values: [10, 20] },
    ],
    outputs: [[11, 22]],
  },
  {
    inputs: [
      { dtype: "float32", shape: [2, 1], values: [1, 2] },
      { dtype: "float32", shape: [2], values: [10, 20] },
    ],
    outputs: [[11, 21, 12, 22]],
  },
]);
