import { operatorContract } from "../operator.contract.ts";

// [6 3] / [2 4] = [3 0.75].
operatorContract("div", [
  {
    inputs: [
      { dtype: "float32", shape: [2], values: [6, 3] },
      { dtype: "float32", shape: [2], values: [2, 4] },
    ],
    outputs: [[3, 0.75]],
  },
]);
