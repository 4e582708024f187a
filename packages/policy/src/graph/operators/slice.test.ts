import { operatorContract } from "../operator.contract.ts";

// Columns 1 and 2 of [1 2 3; 4 5 6].
operatorContract("slice", [
  {
    inputs: [{ dtype: "float32", shape: [2, 3], values: [1, 2, 3, 4, 5, 6] }],
    attributes: { axis: 1, start: 1, end: 3 },
    outputs: [[2, 3, 5, 6]],
  },
]);
