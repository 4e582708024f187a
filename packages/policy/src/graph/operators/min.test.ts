import { operatorContract } from "../operator.contract.ts";

operatorContract("min", [
  {
    inputs: [
      { dtype: "float32", shape: [2, 2], values: [1, 5, -2, 7] },
      { dtype: "float32", shape: [2], values: [3, 4] },
    ],
    outputs: [[1, 4, -2, 4]],
  },
]);
