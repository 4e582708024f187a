import { operatorContract } from "../operator.contract.ts";

// [2 3] * [4 5] = [8 15].
operatorContract("mul", [
  {
    inputs: [
      { dtype: "float32", shape: [2], values: [2, 3] },
      { dtype: "float32", shape: [2], values: [4, 5] },
    ],
    outputs: [[8, 15]],
  },
]);
