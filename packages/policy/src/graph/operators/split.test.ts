import { operatorContract } from "../operator.contract.ts";

// [1 3 4; 2 5 6] cut after the first column.
operatorContract("split", [
  {
    inputs: [{ dtype: "float32", shape: [2, 3], values: [1, 3, 4, 2, 5, 6] }],
    attributes: { axis: 1, sizes: [1, 2] },
    outputs: [
      [1, 2],
      [3, 4, 5, 6],
    ],
  },
]);
