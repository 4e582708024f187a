import { operatorContract } from "../operator.contract.ts";

// [1; 2] and [3 4; 5 6] side by side: [1 3 4; 2 5 6].
operatorContract("concat", [
  {
    inputs: [
      { dtype: "float32", shape: [2, 1], values: [1, 2] },
      { dtype: "float32", shape: [2, 2], values: [3, 4, 5, 6] },
    ],
    attributes: { axis: 1 },
    outputs: [[1, 3, 4, 2, 5, 6]],
  },
]);
