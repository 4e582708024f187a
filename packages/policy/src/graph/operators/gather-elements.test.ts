import { operatorContract } from "../operator.contract.ts";

// Element 2 and 0 of [1 2 3], element 1 and 1 of [4 5 6].
operatorContract("gatherElements", [
  {
    inputs: [
      { dtype: "float32", shape: [2, 3], values: [1, 2, 3, 4, 5, 6] },
      { dtype: "int64", shape: [2, 2], values: [2, 0, 1, 1] },
    ],
    attributes: { axis: 1 },
    outputs: [[3, 1, 5, 5]],
  },
]);
