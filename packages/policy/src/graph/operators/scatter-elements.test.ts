import { operatorContract } from "../operator.contract.ts";

// 7 and 8 both go to place 1, so it holds 15.
operatorContract("scatterElements", [
  {
    inputs: [
      { dtype: "float32", shape: [1, 3], values: [0, 0, 1] },
      { dtype: "int64", shape: [1, 2], values: [1, 1] },
      { dtype: "float32", shape: [1, 2], values: [7, 8] },
    ],
    attributes: { axis: 1 },
    outputs: [[0, 15, 1]],
  },
]);
