import { operatorContract } from "../operator.contract.ts";

// Rows of [1 2 3; 4 5 6]: 6 and 15; everything: 21.
operatorContract("reduceSum", [
  {
    inputs: [{ dtype: "float32", shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }],
    attributes: { axes: [1] },
    outputs: [[6, 15]],
  },
  {
    inputs: [{ dtype: "float32", shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }],
    attributes: { axes: [0, 1] },
    outputs: [[21]],
  },
]);
